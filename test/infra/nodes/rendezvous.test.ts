/** Tests the rendezvous of processes on several machines: an address that is ours or given, and a free port. */
import { once } from 'node:events';
import { createServer, isIP } from 'node:net';
import { expect, it } from 'vitest';
import { findRendezvous } from '../../../infra/nodes/rendezvous.ts';

it('is an address of this machine and a port that is free', async () => {
  const { address, port } = await findRendezvous({});
  expect(isIP(address)).not.toBe(0);
  const server = createServer().listen(port, address);
  await once(server, 'listening');
  server.close();
});

it.each(['10.0.0.7', 'fe80::1', 'gpu-1.internal'])('is %s where that is given', async (given) => {
  expect((await findRendezvous({ STP_NODE_ADDRESS: given })).address).toBe(given);
});

it.each(['10.0.0.7:80', 'a b', '-gpu', 'gpu\n'])('refuses %j', async (given) => {
  await expect(findRendezvous({ STP_NODE_ADDRESS: given })).rejects.toMatchObject({ code: 'STP1002' });
});
