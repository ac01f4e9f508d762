/** The keys that a server requires of its clients, from the environment; without keys it serves this machine only. */
import { StpError } from '@stp/base';

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

/** Resolves when a person or a supervisor asks the process to stop. To be called before anything long is begun. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
}
