/**
 * Servers that sample, by a stand-in for vLLM that starts, dies and answers as it does: the command line, health, restarts,
 * swapping, metrics. Costs about 30 s, most of it starting servers.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VllmEngine } from '@stp/config';
import { generatorEngineSchema } from '@stp/config/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../../test/support/ports.ts';
import { markedProcesses } from '../../../../test/support/processes.ts';
import { embeddedGenerator } from '../../embedded/engine.ts';
import { makeFreshCheckpoint } from '../../embedded/fresh-checkpoint.ts';
import { SMALL_SHAPE } from '../../testing/small-model.ts';
import { EXAMPLES } from '../../testing/small-training.ts';
import { vllmCommand, vllmProgram } from '../vllm/command.ts';
import { parseServerMetrics, type ServerMetrics } from '../vllm/server-metrics.ts';
import { LocalGenerators } from './generators.ts';

const STAND_IN = join(import.meta.dirname, '../../testing/stand-in-vllm.ts');
const RUN = `vllm-test-${process.pid}`;
const SAMPLING = { temperature: 1, topP: 1, maxTokens: 12 };
const REQUESTS = Array.from({ length: 20 }, (_, seed) => ({
  id: `${seed}`,
  prompt: '<prove>(n : Nat) : n = n<by>',
  seed,
}));

let directory: string;
let checkpoint: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-vllm-'));
  const examplesPath = join(directory, 'examples.jsonl');
  await writeFile(examplesPath, EXAMPLES.map((example) => `${JSON.stringify(example)}\n`).join(''));
  checkpoint = join(directory, 'checkpoint');
  await makeFreshCheckpoint({ examplesPath, shape: SMALL_SHAPE, seed: 3 }, checkpoint);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function servers(
  behaviour: Readonly<Record<string, string>> = {},
  changes: Partial<VllmEngine> = {},
  onMetrics?: (metrics: Partial<ServerMetrics>) => void,
) {
  const folder = await mkdtemp(join(directory, 'stand-in-'));
  for (const [name, text] of Object.entries(behaviour)) await writeFile(join(folder, name), text);
  const engine: VllmEngine = {
    ...(generatorEngineSchema.parse({ kind: 'vllm' }) as VllmEngine),
    command: [process.execPath, STAND_IN, folder],
    // The stand-in has a second server, on the next port.
    port: await freePort(2),
    startTimeoutSeconds: 120,
    ...changes,
  };
  const telling = onMetrics === undefined ? {} : { onMetrics, metricsEveryMs: 100 };
  const generators = new LocalGenerators({
    program: vllmProgram(engine),
    logDirectory: folder,
    runMark: RUN,
    ...telling,
  });
  onTestFinished(async () => {
    await generators.close();
    expect(markedProcesses(RUN)).toEqual([]);
  });
  const calls = async () =>
    (await readFile(join(folder, 'calls'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string[]);
  return { engine, generators, calls };
}

it('writes the command line', () => {
  const engine = generatorEngineSchema.parse({
    kind: 'vllm',
    contextLength: 2048,
    tensorParallelism: 4,
    arguments: ['--enforce-eager'],
  }) as VllmEngine;
  const served = { directory: '/checkpoints/m', model: 'abc' };
  expect(vllmCommand(engine, served, 'complete')).toEqual(
    `vllm serve /checkpoints/m --served-model-name abc --host 127.0.0.1 --port 8000 --tensor-parallel-size 4
     --gpu-memory-utilization 0.9 --max-num-seqs 256 --generation-config vllm --stream-interval 16 --max-model-len 2048
     --enforce-eager`.split(/\s+/),
  );
  expect(vllmCommand(engine, served, 'embed')).toEqual(
    expect.arrayContaining(['--runner', 'pooling', '--convert', 'embed']),
  );
  // An adapter beside its base goes by its own name.
  const [, , ...adapted] = vllmCommand(
    engine,
    { ...served, adapterOf: { base: '/models/base', rank: 24 } },
    'complete',
  );
  expect(adapted.slice(0, 7)).toEqual(
    '/models/base --served-model-name base --lora-modules abc=/checkpoints/m --max-lora-rank 32'.split(' '),
  );
  expect(adapted).toContain('--enable-lora');
});

it('reads metrics', () => {
  const text =
    'vllm:num_requests_waiting{a="b"} 3\nvllm:generation_tokens_total 1e3\nother 7\nvllm:gpu_cache_usage_perc nan\n';
  expect(parseServerMetrics(text)).toEqual({ requestsWaiting: 3, generatedTokens: 1000 });
});

it('samples what the embedded engine samples, embeds by another server, and starts one that died anew', {
  tags: ['slow'],
}, async () => {
  const metrics: Partial<ServerMetrics>[] = [];
  const onMetrics = (one: Partial<ServerMetrics>): void => void metrics.push(one);
  const { generators, calls } = await servers({ 'die-after': '7' }, { requestsInFlight: 4 }, onMetrics);
  const generator = generators.generator(checkpoint);
  const samples = await generator.sample(REQUESTS, SAMPLING);
  // The first server died during the call; its finished samples were kept.
  expect(await calls()).toHaveLength(2);
  const embedded = await embeddedGenerator({ threads: 1 })(checkpoint);
  const expected = await embedded.sample(REQUESTS, SAMPLING);
  expect(samples.map(({ text }) => text)).toEqual(expected.map(({ text }) => text));
  await expect.poll(() => metrics).toContainEqual({ requestsRunning: 3, cacheShare: 0.5 });

  const [vector] = await generator.embed(['n = n']);
  const [reference] = await embedded.embed(['n = n']);
  await embedded.close();
  expect(vector!.every((value, index) => Math.abs(value - reference![index]!) < 1e-5)).toBe(true);
  expect((await calls()).at(-1)).toEqual(expect.arrayContaining(['--runner', 'pooling']));
});

it('says why a server did not come up, and comes up on the next try', { tags: ['slow'] }, async () => {
  const { generators } = await servers({ crash: '' });
  const generator = generators.generator(checkpoint);
  await expect(generator.sample(REQUESTS.slice(0, 1), SAMPLING)).rejects.toMatchObject({
    code: 'STP1301',
    retryable: true,
    message: expect.stringContaining('CUDA out of memory'),
  });
  expect(await generator.sample(REQUESTS.slice(0, 1), SAMPLING)).toHaveLength(1);
});

it('waits no longer than it may, and ends with the signal', async () => {
  const { generators } = await servers({}, { command: ['sh', '-c', 'exec sleep 600'], startTimeoutSeconds: 1 });
  const one = REQUESTS.slice(0, 1);
  await expect(generators.generator(checkpoint).sample(one, SAMPLING)).rejects.toThrow('did not serve within 1 s');
  const slow = await servers({}, { command: ['sh', '-c', 'exec sleep 600'] });
  const stop = AbortSignal.timeout(500);
  await expect(slow.generators.generator(checkpoint).sample(one, SAMPLING, { signal: stop })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
});
