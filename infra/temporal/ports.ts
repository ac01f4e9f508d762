/** Ports on this machine's loopback interface: tests whether one is free, finds a free one, and finds its holder. */

import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { StpError } from '@stp/base';
import { commandLineOf } from '@stp/base/files';

export const LOOPBACK = '127.0.0.1';
const LISTENING = '0A'; // TCP_LISTEN in /proc/net/tcp

/** Returns whether a server could listen on the port now. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = await listen(port).catch(() => null);
  if (server === null) return false;
  await close(server);
  return true;
}

/**
 * Chooses a port for a server: the wanted one, which must be free (STP1102), else the usual one, else any free one.
 * `taken` lists ports that another server just got.
 */
export async function choosePort(
  wanted: number | undefined,
  usual: number,
  taken: readonly number[] = [],
): Promise<number> {
  if (wanted !== undefined) {
    if (await isPortFree(wanted)) return wanted;
    throw await portInUse(wanted);
  }
  if (!taken.includes(usual) && (await isPortFree(usual))) return usual;
  const server = await listen(0);
  const address = server.address();
  await close(server);
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port');
  return taken.includes(address.port) ? choosePort(undefined, usual, taken) : address.port;
}

/** Returns the error for a taken port, with the process that holds it if /proc tells. */
export async function portInUse(port: number): Promise<StpError> {
  const holder = await portHolder(port);
  const who = holder === null ? 'another process' : `process ${holder.pid} (${holder.command})`;
  return new StpError(
    'STP1102',
    `port ${port} on ${LOOPBACK} is in use by ${who}`,
    'Stop that process, give another port, or give none: then a free one is taken.',
    { facts: { port, pid: holder?.pid ?? null } },
  );
}

/** Returns the process that listens on a local port; null if there is none or this user may not see it. */
export async function portHolder(port: number): Promise<{ pid: number; command: string } | null> {
  const sockets = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      // Columns: slot, local address:port, remote, state, …; the tenth is the socket's inode.
      const columns = line.trim().split(/\s+/);
      const localPort = Number.parseInt(columns[1]?.split(':')[1] ?? '', 16);
      if (localPort === port && columns[3] === LISTENING) sockets.add(`socket:[${columns[9]}]`);
    }
  }
  if (sockets.size === 0) return null;
  for (const name of await readdir('/proc').catch(() => [] as string[])) {
    if (!/^\d+$/.test(name)) continue;
    for (const descriptor of await readdir(`/proc/${name}/fd`).catch(() => [] as string[])) {
      const target = await readlink(`/proc/${name}/fd/${descriptor}`).catch(() => '');
      if (!sockets.has(target)) continue;
      const pid = Number(name);
      return { pid, command: (await commandLineOf(pid)) ?? 'unknown' };
    }
  }
  return null;
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
