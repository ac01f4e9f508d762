/** Runs the examples that take seconds: their commands print the output that the pages show. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { REPOSITORY, stp } from '../support/stp.ts';
import { blocksOf } from './pages.ts';

const shell = (line: string) => execa('sh', ['-c', line], { cwd: REPOSITORY, reject: false });

it('judging proofs from elsewhere prints what the page says', async () => {
  const commands = blocksOf('judge-proofs', 'sh');
  const promised = blocksOf('judge-proofs', 'text');
  const done = [];
  for (const command of commands) done.push(await shell(command));
  expect(done.map(({ stdout }) => stdout)).toEqual(promised);
  // One theorem of the file is refused.
  expect(done.map(({ exitCode }) => exitCode)).toEqual([0, 1]);
});

it('serving suggestions answers what the page says', async () => {
  const [serve, ask] = blocksOf('serve-suggestions', 'sh') as [string, string];
  const words = serve.split(' ').slice(1);
  const port = words.indexOf('--port') + 1;
  const server = stp(words.with(port, '0'), { buffer: false });
  onTestFinished(async () => {
    server.kill('SIGINT');
    await server;
  });
  const [line] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string];
  const address = /http:\/\/(\S+)$/u.exec(line)![1]!;
  expect(ask).toContain(`localhost:${words[port]}`);
  const { stdout } = await shell(ask.replace(`localhost:${words[port]}`, address));
  expect(JSON.parse(stdout)).toMatchObject(JSON.parse(blocksOf('serve-suggestions', 'json')[0]!));
});
