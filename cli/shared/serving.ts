/** Shared parts of serving commands: clients' keys, messages to the operator, and the shutdown. */
import { setTimeout } from 'node:timers/promises';
import { printableText, StpError } from '@stp/base';
import { aborted } from './stop-signals.ts';

/** Time between attempts to open a rebuilt project. */
const OPENED_AGAIN_MS = 2_000;

/**
 * Reads comma-separated keys from `variable`; none under `--no-key`. Throws STP1002 if a server that others can reach
 * would be open to everyone without an explicit option.
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
  /** Messages to the operator: the address and what is served there. */
  readonly lines: readonly string[];
  readonly keyVariable: string;
  readonly keys: readonly string[];
  readonly stop: AbortSignal;
  /** Aborted when the underlying Lean project is rebuilt. */
  readonly stale?: AbortSignal;
}

/** Prints what is served, waits for a signal, and closes the servers, which finish their open requests. */
export async function serveUntilStopped(
  servers: readonly { close(): Promise<void> }[],
  { lines, keyVariable, keys, stop, stale }: Serving,
): Promise<void> {
  for (const line of lines) console.log(line);
  console.log(keys.length === 0 ? 'no key is asked for' : `a key of ${keyVariable} is asked for`);
  await aborted(stale === undefined ? stop : AbortSignal.any([stop, stale]));
  console.log(stop.aborted ? 'finishing what is under way' : 'the Lean project was built anew: opening it again');
  await Promise.all(servers.map((server) => server.close()));
}

/** Reports an error of a request to the operator. */
export const sayError = (error: unknown): void =>
  console.error(error instanceof StpError ? printableText(error.toText()) : error);

/**
 * Serves until the signal, restarting `serveOnce` whenever it ended because its Lean project was rebuilt. Rejects with
 * the signal's reason if the signal comes before it serves; later `serveOnce` finishes its open requests.
 */
export async function serveUntil(stop: AbortSignal, serveOnce: () => Promise<void>): Promise<void> {
  for (let isFirst = true; isFirst || !stop.aborted; isFirst = false) {
    try {
      await serveOnce();
    } catch (error) {
      // A project cannot be opened while it is being built.
      if (isFirst || stop.aborted || !(error instanceof StpError)) throw error;
      sayError(error);
      await setTimeout(OPENED_AGAIN_MS, null, { signal: stop }).catch(() => {});
    }
  }
}
