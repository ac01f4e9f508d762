/**
 * Ports for servers that must be told theirs before they start. They lie below the range that the kernel gives out by itself
 * (from 32768 on), so that no connection and no server of another test takes one between the look and the use.
 */
import { createServer } from 'node:net';

const FIRST = 20_000;
const LAST = 32_000;
/** Each process starts its search at a port of its own. */
const SPREAD = 37;
let next = FIRST + ((process.pid * SPREAD) % (LAST - FIRST));

/** The first of `count` ports in a row that are free on the loopback interface and have not been given before. */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    if (next + count > LAST) next = FIRST;
    const first = next;
    next += count;
    const ports = Array.from({ length: count }, (_, index) => first + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
