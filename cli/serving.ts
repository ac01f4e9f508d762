/** What commands that serve share: the keys that clients need, from the environment, what the person at the server reads, and the end. */
import { printableText, StpError } from '@stp/base';
import { aborted } from './stop-signals.ts';

/**
 * Comma-separated keys in `variable`; none under `--no-key`. Throws STP1002 where a host that others reach would let
 * everyone in without anybody having said so.
 */
export function clientKeys(variable: string, { host, key }: { host: string; key: boolean }): readonly string[] {
  const keys = key ? keysOf(process.env[variable]) : [];
  if (keys.length > 0 || !key || isLoopback(host)) return keys;
  throw new StpError(
    'STP1002',
    `a server on ${host} without keys would serve everyone who reaches it`,
    `Put keys into ${variable} (comma separated), or give --no-key.`,
  );
}

function keysOf(text = ''): readonly string[] {
  return text
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

export interface Serving {
  /** What is served, and where, for the person at the server. */
  readonly lines: readonly string[];
  readonly keyVariable: string;
  readonly keys: readonly string[];
  readonly stop: AbortSignal;
}

/** Says what is served, waits for the signal, and closes the servers, which finish their open requests. */
export async function serveUntilStopped(
  servers: readonly { close(): Promise<void> }[],
  { lines, keyVariable, keys, stop }: Serving,
): Promise<void> {
  for (const line of lines) console.log(line);
  console.log(keys.length === 0 ? 'no key is asked for' : `a key of ${keyVariable} is asked for`);
  await aborted(stop);
  console.log('finishing what is under way');
  await Promise.all(servers.map((server) => server.close()));
}

/** Tells the person at the server of an error in a request. */
export const sayError = (error: unknown): void =>
  console.error(error instanceof StpError ? printableText(error.toText()) : error);
