/**
 * A model server kept up on a node: served from a copy of the checkpoint, watched, started anew when it is killed, ended with
 * the activity. The stand-in for vLLM serves health and metrics. Costs about 10 s, most of it waiting for the next look.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancelledFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { storeCheckpoint } from '../../activities/checkpoints.ts';
import { modelServerActivities, type ServingProgress } from '../../activities/model-server.ts';
import type { CheckpointRef } from '../../data/schemas/artifact.ts';
import { generatorEngineSchema, type VllmEngine } from '../../data/schemas/engines.ts';
import { openJsonlMonitor, readMetrics } from '../../infra/monitor/jsonl-monitor.ts';
import type { ObjectStore } from '../../infra/stores/object-store.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { markedProcesses } from '../support/processes.ts';
import { smallCheckpointFolder } from './small-checkpoint-folder.ts';

/** Writes its arguments down, and answers as a server that is well; where `crash` lies beside it, it ends at once. */
const SERVER = `
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
const folder = import.meta.dirname;
appendFileSync(folder + '/calls', JSON.stringify(process.argv.slice(2)) + '\\n');
if (existsSync(folder + '/crash')) { console.error('out of memory'); process.exit(1); }
const port = Number(process.argv[process.argv.indexOf('--port') + 1]);
createServer(({ url }, answer) =>
  answer.end(url === '/metrics' ? 'vllm:num_requests_running 3\\nvllm:kv_cache_usage_perc 0.5\\n' : ''),
).listen(port, '127.0.0.1');
`;

let folder: string;
let store: ObjectStore;
let checkpoint: CheckpointRef;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stp-model-server-'));
  store = await openStore(`file://${folder}/store`);
  const directory = await smallCheckpointFolder(join(folder, 'checkpoint'));
  checkpoint = await storeCheckpoint(store, 'checkpoints/sft', directory, { signal: new AbortController().signal });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The activity begun on a node of its own, and what its heartbeats say. */
async function serving(name: string, behaviour: 'serve' | 'crash') {
  const node = await mkdtemp(join(folder, `${name}-`));
  const script = join(node, 'server.mjs');
  await writeFile(script, SERVER);
  if (behaviour === 'crash') await writeFile(join(node, 'crash'), '');
  const mark = `model-server-${process.pid}-${name}`;
  const metricsPath = join(node, 'metrics.jsonl');
  const monitor = await openJsonlMonitor(metricsPath);
  const engine = {
    ...(generatorEngineSchema.parse({ kind: 'vllm' }) as VllmEngine),
    command: [process.execPath, script],
    port: await freePort(),
    startTimeoutSeconds: 60,
  };
  const { serveModel } = modelServerActivities({
    store: async () => store,
    scratch: async () => join(node, 'scratch'),
    monitor: async () => monitor,
    runMark: () => mark,
  });
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 1_000 });
  const beats: Partial<ServingProgress>[] = [];
  environment.on('heartbeat', (progress: Partial<ServingProgress>) => beats.push(progress));
  const ended = environment.run(serveModel, { run: 'run', checkpoint, engine }).catch((error: unknown) => error);
  onTestFinished(async () => {
    environment.cancel();
    await ended;
    await monitor.finalise();
    expect(markedProcesses(mark)).toEqual([]);
  });
  const said = async (meant: (progress: Partial<ServingProgress>) => boolean): Promise<Partial<ServingProgress>> => {
    for (;;) {
      const found = beats.find(meant);
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const calls = async (): Promise<string[][]> =>
    (await readFile(join(node, 'calls'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string[]);
  return { node, mark, metricsPath, environment, ended, said, calls };
}

it('is served, logged, started anew when it is killed, and ended with the activity', async () => {
  const { node, mark, metricsPath, environment, ended, said, calls } = await serving('kept', 'serve');
  const { origin, model } = await said(({ restarts }) => restarts === 0);
  expect(model).toBe(checkpoint.model);
  expect((await fetch(`${origin}/health`)).ok).toBe(true);
  const [[task, directory = '', ...options] = []] = await calls();
  expect([task, options.slice(0, 2)]).toEqual(['serve', ['--served-model-name', checkpoint.model]]);
  expect(directory.startsWith(join(node, 'scratch', 'checkpoints'))).toBe(true);

  for (const pid of markedProcesses(mark)) process.kill(pid, 'SIGKILL');
  expect(await said(({ restarts }) => restarts === 1)).toMatchObject({ origin, metrics: { requestsRunning: 3 } });
  expect(await calls()).toHaveLength(2);

  environment.cancel();
  expect(await ended).toBeInstanceOf(CancelledFailure);
  expect(markedProcesses(mark)).toEqual([]);
  const logged = await Array.fromAsync(readMetrics(metricsPath));
  expect(logged.map(({ name, step, value }) => [name, step, value])).toEqual([
    ['model_server/requests_running', 0, 3],
    ['model_server/cache_share', 0, 0.5],
    ['model_server/requests_running', 1, 3],
    ['model_server/cache_share', 1, 0.5],
  ]);
}, 120_000);

it('that cannot start says why, and an engine that is no server is refused', async () => {
  const { ended, calls } = await serving('crash', 'crash');
  expect(await ended).toMatchObject({ code: 'STP1301', message: expect.stringContaining('out of memory') });
  expect(await calls()).toHaveLength(1);
  const { serveModel } = modelServerActivities({} as never);
  const refused = new MockActivityEnvironment().run(serveModel, {
    run: 'run',
    checkpoint,
    engine: { kind: 'embedded' } as never,
  });
  await expect(refused).rejects.toMatchObject({ code: 'STP1002' });
}, 120_000);
