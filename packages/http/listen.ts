/** Opens a server's socket, and explains failures. */
import type { AddressInfo } from 'node:net';
import { StpError } from '@stp/base';
import type { FastifyInstance } from 'fastify';

/**
 * Returns `http://host:port`; port 0 chooses a free one. Throws STP1102 if the port is in use, STP1002 if this machine
 * does not have the host; the server is closed then.
 */
export async function listen(server: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    await server.listen({ host, port });
  } catch (cause) {
    await server.close();
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StpError('STP1102', `port ${port} of ${host} is in use`, 'Give another one: --port N.', { cause });
    throw new StpError('STP1002', `cannot listen on ${host}:${port}: ${message}`, 'Give another --host or --port.', {
      cause,
    });
  }
  const { address, port: taken, family } = server.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
}
