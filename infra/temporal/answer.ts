/**
 * Tests whether a server answers, before a command that would wait ten seconds and more. It opens a connection and
 * begins to speak HTTP/2. Any answer, even a TLS alert or a close, means that a server is there; the client handles the
 * rest.
 */
import { connect } from 'node:net';
import { StpError } from '@stp/base';

/** The preface of HTTP/2 (RFC 9113 §3.4) and an empty SETTINGS frame. */
const HELLO = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

/** Throws STP1101 with the address if no server answers in time. */
export async function requireAnswer(address: string, timeoutMs: number): Promise<void> {
  const problem = await firstAnswer(address, timeoutMs);
  if (problem === null) return;
  throw new StpError(
    'STP1101',
    `no Temporal server answers at ${address}: ${problem}`,
    'Start one with `npm run dev`, or set TEMPORAL_ADDRESS (or --address) to yours.',
    { facts: { address }, retryable: true },
  );
}

/** Returns the reason why no server answers, or null. */
function firstAnswer(address: string, timeoutMs: number): Promise<string | null> {
  const url = URL.canParse(`tcp://${address}`) ? new URL(`tcp://${address}`) : null;
  if (url === null || url.hostname === '' || url.port === '') return Promise.resolve('it is no HOST:PORT');
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname.replaceAll(/^\[|\]$/g, ''), port: Number(url.port) });
    const timer = setTimeout(() => end(`nothing came for ${timeoutMs / 1_000} s`), timeoutMs);
    const end = (problem: string | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => socket.write(HELLO));
    socket.once('data', () => end(null));
    socket.once('end', () => end(null));
    // A server that resets the connection exists; without a connection there is no server.
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code === 'ECONNRESET' ? null : error.message));
  });
}
