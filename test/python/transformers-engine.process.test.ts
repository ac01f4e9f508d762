/**
 * `engines.generator.kind=transformers` with the real `transformers serve` on the processor, on a random model of our own
 * vocabulary and on folders that cannot be served. Costs about two minutes, nearly all of it Python loading its libraries.
 *
 * @module-tag slow
 */
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TransformersEngine } from '@stp/config';
import { generatorEngineSchema, trainerEngineSchema } from '@stp/config/testing';
import { embeddedGenerator, LocalGenerators, transformersProgram } from '@stp/language-model';
import { EXAMPLES, makeFreshCheckpoint, TRAINED_SHAPE } from '@stp/language-model/testing';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/ports.ts';
import { kill, markedProcesses } from '../support/processes.ts';
import { interpreter, skipsPython } from './python.ts';

const skips = skipsPython('transformers serve as an engine');
const RUN = `transformers-test-${process.pid}`;
const GREEDY = { temperature: 0, topP: 1, maxTokens: 24 };
const requests = (count: number) =>
  Array.from({ length: count }, (_, seed) => ({
    id: `${seed}`,
    prompt: EXAMPLES[seed % EXAMPLES.length]!.prompt,
    seed,
  }));

let directory: string;
let checkpoint: string;

beforeAll(async () => {
  if (skips) return;
  directory = await mkdtemp(join(tmpdir(), 'stp-transformers-'));
  const examplesPath = join(directory, 'examples.jsonl');
  await writeFile(examplesPath, EXAMPLES.map((example) => `${JSON.stringify(example)}\n`).join(''));
  checkpoint = join(directory, 'checkpoint');
  await makeFreshCheckpoint({ examplesPath, shape: TRAINED_SHAPE, seed: 3 }, checkpoint);
});
afterAll(async () => {
  if (!skips) await rm(directory, { recursive: true, force: true });
});

async function servers(changes: Partial<TransformersEngine> = {}) {
  const engine = {
    ...(generatorEngineSchema.parse({ kind: 'transformers' }) as TransformersEngine),
    ...{
      precision: 'float32' as const,
      requestsInFlight: 8,
      port: await freePort(),
      startTimeoutSeconds: 240,
      ...changes,
    },
  };
  const trainer = trainerEngineSchema.parse({ kind: 'pytorch', python: interpreter, device: 'cpu' });
  const logDirectory = await mkdtemp(join(directory, 'logs-'));
  const program = transformersProgram(engine, trainer);
  const generators = new LocalGenerators({ program, logDirectory, runMark: RUN });
  onTestFinished(async () => {
    await generators.close();
    expect(markedProcesses(RUN)).toEqual([]);
    // Logs alone.
    expect((await readdir(logDirectory)).filter((name) => !name.endsWith('.log'))).toEqual([]);
  });
  return { generators, program, port: engine.port };
}

describe.skipIf(skips)('the engine transformers', () => {
  it('gives the greedy texts of the embedded engine', async () => {
    const { generators } = await servers();
    const embedded = await embeddedGenerator({ threads: 1 })(checkpoint);
    const expected = await embedded.sample(requests(12), GREEDY);
    await embedded.close();
    const found = await generators.generator(checkpoint).sample(requests(12), GREEDY);
    expect(found.map(({ text }) => text)).toEqual(expected.map(({ text }) => text));
    expect(found.map(({ tokens, finish }) => ({ tokens, finish }))).toEqual(
      expected.map(({ tokens, finish }) => ({ tokens, finish })),
    );
  });

  it('samples from all tokens, at the temperature that is asked for, and starts a server anew for another', async () => {
    const { generators } = await servers();
    const generator = generators.generator(checkpoint);
    const flat = { temperature: 1, topP: 1, maxTokens: 1 };
    const first = await generator.sample(requests(200), flat);
    const pid = generators.server!.pid;
    // The library's default would be the fifty likeliest.
    expect(new Set(first.map(({ text }) => text)).size).toBeGreaterThan(70);
    // Separators are special tokens, which the library leaves out of its texts.
    const long = await generator.sample(requests(60), { ...flat, maxTokens: 30 });
    expect(long.map(({ text }) => text).join(' ')).toMatch(/<prove>|<by>/);
    expect(generators.server!.pid).toBe(pid);
    const sharp = await generator.sample(requests(60), { ...flat, temperature: 0.001 });
    expect(generators.server!.pid).not.toBe(pid);
    const embedded = await embeddedGenerator({ threads: 1 })(checkpoint);
    const expected = await embedded.sample(requests(60), { ...flat, temperature: 0 });
    await embedded.close();
    expect(sharp.map(({ text }) => text)).toEqual(expected.map(({ text }) => text));
  });

  it('gives all samples though its process is killed on the way', async () => {
    const { generators } = await servers();
    const finished = new Set<number>();
    let isKilled = false;
    const completions = await generators.generator(checkpoint).sample(
      requests(64),
      { ...GREEDY, temperature: 1, maxTokens: 30 },
      {
        onCompletion: (index) => {
          finished.add(index);
          if (finished.size < 5 || isKilled) return;
          isKilled = true;
          kill(-generators.server!.pid);
        },
      },
    );
    expect(completions.map(({ id }) => id)).toEqual(requests(64).map(({ id }) => id));
    expect(finished.size).toBe(64);
  });

  it('ends when its parent is gone', async () => {
    const { program, port } = await servers();
    const work = await mkdtemp(join(directory, 'work-'));
    const [python, ...args] = program.command({ directory: checkpoint, model: 'abc' }, 'complete', work);
    const server = execa(python!, args, {
      stdin: 'pipe',
      reject: false,
      env: { STP_ENDS_WITH_STDIN: '1' },
    });
    const isWell = () =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    let hasEnded = false;
    void server.then(() => {
      hasEnded = true;
    });
    while (!hasEnded && !(await isWell())) await sleep(200);
    expect(await isWell()).toBe(true);
    server.stdin.end();
    await server;
    expect(await isWell()).toBe(false);
  });

  it('says in one sentence why it does not serve', async () => {
    const sample = async (folder: string, changes: Partial<TransformersEngine> = {}) =>
      (await servers(changes)).generators.generator(folder).sample(requests(1), GREEDY);
    const bare = join(directory, 'bare-python');
    await writeFile(bare, `#!/bin/sh\nexec ${interpreter} -I -S "$@"\n`, { mode: 0o755 });
    await expect(sample(checkpoint, { python: bare })).rejects.toThrow(
      /Python has no module fastapi, openai, .* which `transformers serve` needs/,
    );
    await expect(sample(checkpoint, { python: join(directory, 'no-python') })).rejects.toThrow('could not be started');
    const weightless = join(directory, 'weightless');
    await cp(checkpoint, weightless, { recursive: true });
    await rm(join(weightless, 'model.safetensors'));
    await expect(sample(weightless)).rejects.toThrow('the folder has no safetensors');
    const damaged = join(directory, 'damaged');
    await cp(checkpoint, damaged, { recursive: true });
    await writeFile(join(damaged, 'model.safetensors'), 'nothing');
    await expect(sample(damaged)).rejects.toMatchObject({ code: 'STP1301', message: expect.stringContaining(damaged) });
  });

  it.each([
    ['looks well', 200, 'another server already uses http://127.0.0.1:'],
    ['has no health check', 404, 'another program already uses port'],
  ])('refuses a port that another program has, which %s', async (_, status, said) => {
    const other: Server = createServer((_, answer) => answer.writeHead(status).end('no'));
    const port = await freePort();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { generators } = await servers({ port });
    await expect(generators.generator(checkpoint).sample(requests(1), GREEDY)).rejects.toThrow(said);
  });

  it('has no vectors, and serves no adapter alone', async () => {
    const { generators } = await servers();
    const generator = generators.generator(checkpoint);
    await expect(generator.embed(['n = n'])).rejects.toMatchObject({ code: 'STP1002' });
    const adapter = join(directory, 'adapter');
    await mkdir(adapter);
    const kept = ['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json', 'training.json'];
    const files = [...kept, 'adapter_config.json', 'adapter_model.safetensors'].map((name) => ({
      ...{ name, bytes: 1, sha256: 'a'.repeat(64) },
    }));
    await writeFile(
      join(adapter, 'manifest.json'),
      JSON.stringify({ format: 'stp-checkpoint/1', model: 'a'.repeat(20), files }),
    );
    await expect(generators.generator(adapter).sample(requests(1), GREEDY)).rejects.toThrow(
      'transformers serve serves whole models',
    );
  });
});
