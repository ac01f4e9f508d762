/**
 * `npm run bench [model] [lean]`: how fast this machine trains, samples and verifies. Each figure is the median of some
 * rounds; nothing here passes or fails. Costs about two minutes.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '../data/config/resolve.ts';
import { LIBRARY_HEADER } from '../lean/library/compile.ts';
import { openVerifier } from '../lean/open-verifier.ts';
import type { Candidate } from '../lean/verifier.ts';
import { embeddedGenerator, embeddedTrainer } from '../model/embedded/engine.ts';
import { proverExample, proverPrompt } from '../selfplay/prompts.ts';
import { leanEnvironment } from '../workers/assemble.ts';
import { workerSettings } from '../workers/settings.ts';
import { repositorySources } from '../workers/sources.ts';

const ROUNDS = 3;
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const row = (name: string, value: number, unit: string): void =>
  console.log(`${name.padEnd(46)} ${value.toFixed(0).padStart(8)} ${unit}`);

async function timed(work: () => Promise<number>): Promise<number> {
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    const units = await work();
    rates.push(units / ((performance.now() - started) / 1_000));
  }
  return median(rates);
}

async function benchModel(directory: string): Promise<void> {
  const theorems = await repositorySources().libraryTheorems();
  const examplesPath = join(directory, 'examples.jsonl');
  await writeFile(
    examplesPath,
    theorems.map(({ statement, proof }) => `${JSON.stringify(proverExample(statement, proof, 1))}\n`),
  );
  for (const preset of ['smoke', 'embedded']) {
    const { model, sft, modelThreads } = resolveConfig({ preset });
    const { epochs: _, examplesPerStep: __, stepsMin: ___, stepsMax: ____, ...hyperparameters } = sft;
    const name = `${preset}: hidden ${model.hiddenSize}, ${model.layers} layers`;
    let outputDirectory = '';
    const training = await timed(async () => {
      outputDirectory = await mkdtemp(join(directory, 'checkpoint-'));
      await rm(outputDirectory, { recursive: true });
      const trainer = embeddedTrainer({ threads: modelThreads });
      const request = {
        ...hyperparameters,
        examplesPath,
        initDirectory: null,
        shape: model,
        outputDirectory,
        steps: 40,
        seed: 1,
        stateDirectory: null,
        heldOutPath: null,
        heldOutEverySteps: 1,
      };
      return (await trainer.train(request)).tokens;
    });
    row(`${name}, training`, training, 'tokens/s');
    const generator = await embeddedGenerator({ threads: modelThreads })(outputDirectory);
    const requests = theorems
      .slice(0, 100)
      .flatMap(({ name: id, statement }) =>
        Array.from({ length: 8 }, (_, seed) => ({ id, prompt: proverPrompt(statement), seed })),
      );
    const sampling = await timed(async () => {
      const completions = await generator.sample(requests, { temperature: 1, topP: 1, maxTokens: 64 });
      return completions.reduce((sum, completion) => sum + completion.tokens, 0);
    });
    row(`${name}, sampling`, sampling, 'tokens/s');
    await generator.close();
  }
}

async function benchLean(directory: string): Promise<void> {
  const environment = await leanEnvironment(workerSettings(), () => undefined);
  const theorems = (await repositorySources().libraryTheorems()).slice(0, 400);
  const candidate = (index: number, proof: string): Candidate => {
    const { name, header, statement } = theorems[index]!;
    return { id: name, header, statement, proof };
  };
  const mixes: readonly (readonly [string, readonly Candidate[]])[] = [
    ['proofs that hold', theorems.map(({ proof }, index) => candidate(index, proof))],
    [
      "other theorems' proofs",
      theorems.map((_, index) => candidate(index, theorems[(index + 37) % theorems.length]!.proof)),
    ],
    ['broken text', theorems.map(({ proof }, index) => candidate(index, proof.slice(0, Math.ceil(proof.length / 2))))],
  ];
  for (const [name, candidates] of mixes) {
    const rate = await timed(async () => {
      const verifier = await openVerifier({
        environment,
        libraryHeader: LIBRARY_HEADER,
        processes: 2,
        cacheDirectory: null,
        scratchDirectory: directory,
      });
      await verifier.check(candidates);
      await verifier.close();
      return candidates.length;
    });
    row(`Lean, 2 processes: ${name}`, rate, 'checks/s');
  }
}

const wanted = process.argv.slice(2);
const directory = await mkdtemp(join(tmpdir(), 'stp-bench-'));
console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}`);
try {
  if (wanted.length === 0 || wanted.includes('model')) await benchModel(directory);
  if (wanted.length === 0 || wanted.includes('lean')) await benchLean(directory);
} finally {
  await rm(directory, { recursive: true, force: true });
}
