/**
 * Measures sampling and embedding: tokens per processor-second against PyTorch on the same weights, prompts and number
 * of tokens, alternately; then the engine in its processes: memory, embedded statements, and how long it blocked its
 * parent.
 */
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { resolveConfig } from '@stp/config';
import { embeddedGenerator } from '@stp/language-model';
import {
  initialParameters,
  MODEL_SIZES,
  type ModelShape,
  markersOf,
  parameterLayout,
  parameterView,
  readModel,
  type SampledModel,
  Sampler,
  trainTokenizer,
  untrained,
  writeCheckpoint,
} from '@stp/language-model/testing';
import { skipsPython } from '../../test/python/python.ts';
import { cpuSeconds, markedFigures, median, row } from './measure.ts';
import { startPython } from './python-worker.ts';

const ROUNDS = 5;
const SAMPLING = { temperature: 1, topP: 0.95, maxTokens: 96 };
const PROMPT_TOKENS = 32;
const BATCHES = [1, 32, 128];
/** Samples of a measurement by batch: enough for some seconds. */
const SAMPLES_EACH: Readonly<Record<number, number>> = { 1: 8, 32: 64, 128: 256 };
const STATEMENTS = 20_000;
const MEBIBYTE = 1_024 ** 2;

/** Writes a checkpoint of initial weights, whose flat distributions are the worst case for choosing tokens. */
export async function freshCheckpoint(directory: string, shape: ModelShape, texts: readonly string[]): Promise<void> {
  const flat = initialParameters(shape, 1);
  const tensors = new Map(
    parameterLayout(shape).entries.map((entry) => [
      entry.name,
      { shape: entry.shape, values: parameterView(flat, entry) },
    ]),
  );
  const training = untrained(1);
  const tokenizer = trainTokenizer(texts, { vocabularySize: shape.vocabularySize, specialTokens: markersOf(texts) });
  await writeCheckpoint(directory, { shape, tensors, tokenizer, proofWords: null, training });
}

/** Makes texts of exactly `PROMPT_TOKENS` tokens, all different. */
export function promptsOf({ tokenizer }: SampledModel, statements: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    let text = `${index} `;
    for (let next = index; tokenizer.encode(text).length < 2 * PROMPT_TOKENS; next++)
      text += statements[next % statements.length];
    let end = text.length;
    while (tokenizer.encode(text.slice(0, end)).length > PROMPT_TOKENS) end--;
    while (tokenizer.encode(text.slice(0, end)).length < PROMPT_TOKENS) text = `${text.slice(0, end++)}1`;
    return text.slice(0, end);
  });
}

/**
 * Measures our rate with `rows` samples at once. A row that ends takes the next prompt, so nearly every step is full.
 */
export async function ourRate(model: SampledModel, rows: number, prompts: readonly string[]): Promise<number> {
  const sampler = await Sampler.open(model, rows);
  prompts.forEach((prompt, key) => {
    sampler.add({ prompt, sampling: SAMPLING, samples: [{ key, seed: key }] });
  });
  let tokens = 0;
  const started = cpuSeconds();
  while (!sampler.idle) for (const sample of (await sampler.step()).ended) tokens += sample.tokens;
  const rate = tokens / (cpuSeconds() - started);
  await sampler.close();
  return rate;
}

async function compareWithPyTorch(directory: string, statements: readonly string[]): Promise<void> {
  const model = await readModel(directory);
  const python = skipsPython('the column of PyTorch') ? null : startPython('bench_sampling.py');
  const theirRate = async (rows: number, prompts: readonly string[]): Promise<number> => {
    let [tokens, seconds] = [0, 0];
    for (let start = 0; start < prompts.length; start += rows) {
      const ids = prompts.slice(start, start + rows).map((prompt) => model.tokenizer.encode(prompt));
      const answer = await python!.ask({ directory, prompts: ids, ...SAMPLING });
      const { tokens: chosen, cpuSeconds: took } = answer as { tokens: number; cpuSeconds: number };
      tokens += chosen;
      seconds += took;
    }
    return tokens / seconds;
  };
  for (const rows of BATCHES) {
    const prompts = promptsOf(model, statements, SAMPLES_EACH[rows]!);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await ourRate(model, rows, prompts));
      if (python !== null) theirs.push(await theirRate(rows, prompts));
    }
    row(`3M, batch ${rows}: ours`, median(ours), 'tokens/cpu-s');
    if (python === null) continue;
    row(`3M, batch ${rows}: PyTorch`, median(theirs), 'tokens/cpu-s');
    row(`3M, batch ${rows}: ours / PyTorch`, median(ours.map((rate, at) => rate / theirs[at]!)), '×', 2);
  }
  python?.close();
}

/** Measures the engine in its processes, as activities use it. */
async function useEngine(directory: string, statements: readonly string[]): Promise<void> {
  const runMark = `bench-${process.pid}`;
  const generator = await embeddedGenerator({ threads: 2, runMark })(directory);
  const delays = monitorEventLoopDelay({ resolution: 5 });
  const requests = statements
    .slice(0, 128)
    .flatMap((prompt, id) => Array.from({ length: 16 }, (_, seed) => ({ id: String(id), prompt, seed })));
  delays.enable();
  const started = performance.now();
  const completions = await generator.sample(requests, SAMPLING);
  const seconds = (performance.now() - started) / 1_000;
  delays.disable();
  const tokens = completions.reduce((sum, completion) => sum + completion.tokens, 0);
  row('3M, batch 64, 2 processes, 16 samples a prompt', tokens / seconds, 'tokens/s');
  for (const { peakBytes } of await markedFigures(runMark))
    row('  most memory of a process', peakBytes / MEBIBYTE, 'MiB');
  row('  longest hold of the parent', delays.max / 1e6, 'ms');
  await generator.close();
}

async function embedStatements(directory: string, statements: readonly string[]): Promise<void> {
  const { model: shape } = resolveConfig({ preset: 'embedded' });
  await freshCheckpoint(directory, shape, statements);
  const generator = await embeddedGenerator({ threads: 2 })(directory);
  const texts = Array.from({ length: STATEMENTS }, (_, index) => `${statements[index % statements.length]} ${index}`);
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const started = performance.now();
  await generator.embed(texts);
  row(`embedded preset: ${STATEMENTS} statements embedded`, (performance.now() - started) / 1_000, 's', 1);
  delays.disable();
  row('  longest hold of the parent', delays.max / 1e6, 'ms');
  await generator.close();
}

/** @param statements texts as long as prompts */
export async function benchSampling(directory: string, statements: readonly string[]): Promise<void> {
  const checkpoint = join(directory, 'sampling');
  await freshCheckpoint(checkpoint, MODEL_SIZES['3M'], statements);
  await compareWithPyTorch(checkpoint, statements);
  await useEngine(checkpoint, statements);
  await embedStatements(join(directory, 'embedding'), statements);
}
