/**
 * Measures how fast the engines of this machine sample one model on prompts of a lease, and whether they write the
 * same:
 *
 * node tools/bench/gpu/engines.ts MODEL-FOLDER PROMPTS.jsonl OUT.jsonl PYTHON ENGINE …
 *
 * An engine is `embedded:PROCESSES`, `llama-cpp:SEQUENCES`, `llama-cpp-cpu:SEQUENCES` or `transformers:REQUESTS`. Each
 * appends a line to OUT, with the reason if it fails; then the next is measured. The other engines' greedy texts are
 * compared with those of the first.
 */
import { appendFile, readFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { enginesConfigSchema, llamaCppEngine } from '@stp/config';
import {
  embeddedGenerator,
  type Generator,
  LocalGenerators,
  llamaCppGenerator,
  transformersProgram,
} from '@stp/language-model';
import { execa } from 'execa';
import { z } from 'zod';
import { requireLlamaCpp } from '../../../infra/llama-cpp/install.ts';
import { workerSettings } from '../../../workers/settings.ts';
import { markedFigures } from '../measure.ts';

type Sampling = Pick<Generator, 'sample' | 'close'>;

const STATEMENTS = 64;
const SAMPLES = 8;
const GREEDY = 32;
const TOKENS = 64;
const CONTEXT = 1_024;
/** Time limit of each engine's measurement; samples up to then count. */
const MS_MAX = 20_000;
const PORT = 8_123;
const MEBIBYTE = 1_024 ** 2;

const promptSchema = z.looseObject({ id: z.string(), index: z.int(), prompt: z.string(), seed: z.int() });

const [folder, promptsPath, out, python, ...names] = process.argv.slice(2);
if (
  folder === undefined ||
  promptsPath === undefined ||
  out === undefined ||
  python === undefined ||
  names.length === 0
)
  throw new Error('Write: MODEL-FOLDER PROMPTS.jsonl OUT.jsonl PYTHON ENGINE …');

const rows = (await readFile(promptsPath, 'utf8')).split('\n').filter((line) => line !== '');
const prompts = rows.map((line) => promptSchema.parse(JSON.parse(line)));
const statements = [...new Map(prompts.map((one) => [one.id, one])).values()];
const many = statements
  .slice(0, STATEMENTS)
  .flatMap(({ id, prompt, seed }) =>
    Array.from({ length: SAMPLES }, (_, at) => ({ id: `${id}/${at}`, prompt, seed: seed + at })),
  );
let reference: readonly string[] | null = null;

for (const name of names) await appendFile(out, `${JSON.stringify({ engine: name, ...(await measured(name)) })}\n`);

async function measured(name: string): Promise<object> {
  const mark = `engines-${process.pid}-${name.replace(':', '-')}`;
  const opened = performance.now();
  let generator: Sampling | null = null;
  try {
    generator = await open(name, mark);
    const first = await generator.sample(statements.slice(0, 1), { temperature: 0, topP: 1, maxTokens: 1 });
    const openSeconds = (performance.now() - opened) / 1_000;
    const greedy = await greedyTexts(generator);
    reference ??= greedy;
    const rate = await sampledFor(generator);
    const equal = greedy.filter((text, at) => text === reference![at]).length;
    const memory = { gpuMib: await gpuMib(), processMib: await processMib(mark) };
    return {
      openSeconds,
      firstTokens: first[0]!.tokens,
      ...rate,
      greedyEqual: equal,
      ofGreedy: greedy.length,
      ...memory,
    };
  } catch (error) {
    return { failed: String(error instanceof Error ? error.message : error).slice(0, 1_000) };
  } finally {
    await generator?.close().catch(() => undefined);
  }
}

async function open(name: string, runMark: string): Promise<Sampling> {
  const [kind, size] = name.split(':');
  const count = Number(size);
  switch (kind) {
    case 'embedded':
      return embeddedGenerator({ threads: count, runMark, staysWarm: true })(folder!);
    case 'llama-cpp':
    case 'llama-cpp-cpu': {
      const engine = llamaCppEngine({
        sequences: count,
        contextLength: CONTEXT,
        ...(kind === 'llama-cpp' ? {} : { gpuLayers: 0 }),
      });
      const library = await requireLlamaCpp(workerSettings().cacheDirectory);
      return llamaCppGenerator({ engine, library, cores: availableParallelism(), runMark, staysWarm: true })(folder!);
    }
    case 'transformers': {
      const { generator: engine, trainer } = enginesConfigSchema.parse({
        trainer: { kind: 'pytorch', python },
        generator: { kind, python, requestsInFlight: count, contextLength: CONTEXT, port: PORT },
      });
      if (engine.kind !== 'transformers') throw new Error('unreachable');
      const servers = new LocalGenerators({
        program: transformersProgram(engine, trainer),
        logDirectory: tmpdir(),
        runMark,
      });
      return { sample: servers.generator(folder!).sample, close: () => servers.close() };
    }
    default:
      throw new Error(`there is no engine ${name}`);
  }
}

async function greedyTexts(generator: Sampling): Promise<readonly string[]> {
  const sampling = { temperature: 0, topP: 1, maxTokens: TOKENS };
  return (await generator.sample(statements.slice(0, GREEDY), sampling)).map(({ text }) => text);
}

async function sampledFor(generator: Sampling): Promise<{ tokens: number; seconds: number; tokensPerSecond: number }> {
  let tokens = 0;
  let seconds = 0;
  const began = performance.now();
  const tell = (done: { tokens: number }): void => {
    tokens = done.tokens;
    seconds = (performance.now() - began) / 1_000;
  };
  const signal = AbortSignal.timeout(MS_MAX);
  const sampling = { temperature: 0.9, topP: 1, maxTokens: TOKENS };
  try {
    const made = await generator.sample(many, sampling, { signal, onProgress: tell });
    tell({ tokens: made.reduce((sum, one) => sum + one.tokens, 0) });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return { tokens, seconds, tokensPerSecond: Math.round(tokens / seconds) };
}

/** Returns the GPU memory in use by all programs; null without a GPU. */
async function gpuMib(): Promise<number | null> {
  const asked = ['--query-gpu=memory.used', '--format=csv,noheader,nounits'];
  const { failed, stdout } = await execa('nvidia-smi', asked, { reject: false });
  return failed ? null : Number(stdout.split('\n')[0]);
}

async function processMib(mark: string): Promise<number> {
  return (await markedFigures(mark)).reduce((sum, { peakBytes }) => sum + peakBytes, 0) / MEBIBYTE;
}
