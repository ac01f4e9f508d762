/** Finds a rendezvous on this machine for processes of several machines: a reachable address and a free port. */
import { createSocket } from 'node:dgram';
import { createServer, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { StpError } from '@stp/base';

/** A documentation address (RFC 5737), outside all our networks. The route to it is the machine's default route. */
const FAR_AWAY = '192.0.2.1';
/** Port of a datagram that is never sent. */
const ANY_PORT = 9;
const LOOPBACK = '127.0.0.1';
const HOST_NAME = /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

export interface Rendezvous {
  readonly address: string;
  readonly port: number;
}

/** The port is free now. Use it soon; if it is taken by then, request another. */
export async function findRendezvous(environment: NodeJS.ProcessEnv = process.env): Promise<Rendezvous> {
  return { address: await ownAddress(environment), port: await freePort() };
}

/**
 * Returns STP_NODE_ADDRESS. Otherwise returns the address of the interface with the default route, at which machines of
 * the same network reach this one; without a route the first address that is no loopback; without a network the
 * loopback.
 */
async function ownAddress({ STP_NODE_ADDRESS: given }: NodeJS.ProcessEnv): Promise<string> {
  if (given !== undefined && given !== '') {
    if (isIP(given) !== 0 || HOST_NAME.test(given)) return given;
    const advice = 'Set STP_NODE_ADDRESS to the address or host name by which other nodes reach this one.';
    throw new StpError('STP1002', `STP_NODE_ADDRESS is "${given.slice(0, 100)}"`, advice);
  }
  const outward = await addressTowards(FAR_AWAY);
  if (outward !== null) return outward;
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? LOOPBACK;
}

/** Returns this machine's address on the route to `address`, or null without a route. Sends nothing. */
function addressTowards(address: string): Promise<string | null> {
  const socket = createSocket('udp4');
  return new Promise<string | null>((resolve) => {
    socket.once('error', () => resolve(null));
    socket.connect(ANY_PORT, address, () => resolve(socket.address().address));
  }).finally(() => socket.close());
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
