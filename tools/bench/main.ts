/**
 * `npm run bench [model] [pretrained] [verify] [kernel] [gpu]`: measures how fast this machine trains, samples,
 * verifies and checks by the second kernel. No measurement passes or fails. `model` has columns for PyTorch after `npm
 * run test:python`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { proverExample, proverPrompt } from '@stp/selfplay';
import { repositorySources } from '../../workers/sources.ts';
import { benchGpu } from './gpu.ts';
import { benchKernel } from './kernel.ts';
import { benchSampling } from './model-sampling.ts';
import { benchTraining } from './model-training.ts';
import { benchPretrained } from './pretrained-sampling.ts';
import { benchVerify } from './verify.ts';

const libraryExamples = async () =>
  (await repositorySources().libraryTheorems()).map(({ statement, proof }) => proverExample(statement, proof, 1));

const parts: Readonly<Record<string, (directory: string) => Promise<void>>> = {
  async model(directory) {
    const theorems = await repositorySources().libraryTheorems();
    await benchTraining(directory, await libraryExamples());
    await benchSampling(
      directory,
      theorems.map(({ statement }) => proverPrompt(statement)),
    );
    await benchPretrained(directory);
  },
  /** A part of `model`. */
  pretrained: benchPretrained,
  verify: benchVerify,
  kernel: benchKernel,
  gpu: async (directory) => benchGpu(directory, await libraryExamples()),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => parts[name] === undefined);
if (unknown.length > 0) {
  console.error(`there is no bench ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`);
  process.exit(1);
}
const directory = await mkdtemp(join(tmpdir(), 'stp-bench-'));
console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}`);
try {
  for (const [name, run] of Object.entries(parts))
    if (wanted.length === 0 || wanted.includes(name)) await run(directory);
} finally {
  await rm(directory, { recursive: true, force: true });
}
