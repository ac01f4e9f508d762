/** The message for an address without a server; a running server is not disturbed. Costs about 5 s. */
import { createServer, type Server, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { requireAnswer } from '../../../infra/temporal/answer.ts';
import { freePort } from '../../support/ports.ts';
import { REPOSITORY, stp } from '../../support/stp.ts';
import { temporalCli } from '../../support/temporal.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Address of a server that does this with a connection. */
async function server(onConnection: (socket: Socket) => void): Promise<string> {
  const made = createServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  servers.push(made);
  const port = await freePort();
  await new Promise<void>((resolve) => made.listen(port, '127.0.0.1', resolve));
  return `127.0.0.1:${port}`;
}
const silent = (): Promise<string> => server((socket) => void socket.resume().unref());

describe('an address', () => {
  it('where something speaks, closes or breaks off has a server', async () => {
    for (const does of [
      (socket: Socket) => void socket.write('x'),
      (socket: Socket) => void socket.once('data', () => socket.end()),
      (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy()),
    ])
      await requireAnswer(await server(does), 60_000);
  });

  it.each([
    ['nothing listens', async () => `127.0.0.1:${await freePort()}`, 'ECONNREFUSED'],
    ['nothing is said', silent, 'nothing came for 0.2 s'],
    ['no host is', async () => 'nowhere.invalid:7233', 'nowhere.invalid'],
    ['no port is named', async () => 'localhost', 'it is no HOST:PORT'],
  ])('where %s has none, and the message names it', async (_, addressOf, reason) => {
    const address = await addressOf();
    const error = await requireAnswer(address, 200).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'STP1101', message: expect.stringContaining(address) });
    expect((error as Error).message).toContain(reason);
  });
});

describe('a run that is started where no server is', () => {
  it.each<[string, (address: string) => Promise<{ all?: unknown; exitCode?: number | undefined }>]>([
    ['bin/stp start', (address) => stp(['start', '--rounds', '1'], { env: { TEMPORAL_ADDRESS: address } })],
    ['bin/stp start --address', (address) => stp(['start', '--rounds', '1', `--address=${address}`])],
    [
      'the Temporal command',
      async (address) =>
        execa(await temporalCli(), ['workflow', 'start', 'stp-selfplay', '--rounds', '1', '--address', address], {
          reject: false,
          all: true,
          env: { PATH: `${join(REPOSITORY, 'bin')}${delimiter}${process.env.PATH}` },
        }),
    ],
  ])('is refused by %s with the address', async (_, start) => {
    const address = await silent();
    const { all, exitCode } = await start(address);
    expect(all).toContain(`STP1101 Temporal server not available: no Temporal server answers at ${address}`);
    expect(exitCode).toBe(1);
  });
});
