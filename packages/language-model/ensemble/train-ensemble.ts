/**
 * Trains an ensemble of verifiers by DPO. All start from one checkpoint; each has its own bootstrap sample of the
 * prompts and its own order. Existing members are not trained again.
 */
import { cp, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import type { Preference } from '@stp/config';
import { modelFiles, readArchitecture } from '../checkpoint/model-folder.ts';
import { uniformGenerator } from '../embedded/training/random.ts';
import type { Trainer, TrainProgress, TrainRequest } from '../trainer.ts';
import { writeEnsemble } from './folder.ts';

export interface EnsembleTraining
  extends Pick<TrainRequest, 'steps' | 'tokensPerStep' | 'learningRate' | 'warmupSteps' | 'seed'> {
  readonly pairs: readonly Preference[];
  /** The initial checkpoint's folder, which is the reference too. */
  readonly initDirectory: string;
  /** Folder of the ensemble. */
  readonly directory: string;
  readonly members: number;
  readonly beta: number;
}

const SEED_STRIDE = 7_919;

export async function trainEnsemble(
  trainer: Trainer,
  { pairs, initDirectory, directory, members, beta, seed, ...recipe }: EnsembleTraining,
  options: {
    readonly signal?: AbortSignal;
    readonly onProgress?: (member: number, progress: TrainProgress) => void;
  } = {},
): Promise<void> {
  if (pairs.length === 0)
    throw new StpError(
      'STP1501',
      'there are no pairs to train on',
      'Take a run that proved statements and failed at them too.',
    );
  const { shape } = await readArchitecture(await modelFiles(initDirectory));
  await mkdir(directory, { recursive: true });
  const reference = join(directory, 'reference');
  if (!(await isThere(join(reference, 'manifest.json')))) await cp(initDirectory, reference, { recursive: true });
  const names = Array.from({ length: members }, (_, member) => `member-${member}`);
  for (const [member, name] of names.entries()) {
    const outputDirectory = join(directory, name);
    if (await isThere(outputDirectory)) continue;
    const examplesPath = join(directory, `${name}-pairs.jsonl`);
    const own = drawnAnew(pairs, seed + member * SEED_STRIDE);
    await writeFile(examplesPath, own.map((pair) => `${JSON.stringify(pair)}\n`).join(''));
    await trainer.train(
      {
        ...recipe,
        examplesPath,
        initDirectory: reference,
        shape,
        outputDirectory,
        schedule: 'linear',
        weightDecay: 0,
        gradientClipNorm: 1,
        heldOutPath: null,
        heldOutEverySteps: recipe.steps,
        objective: { kind: 'dpo', beta },
        seed: seed + member,
        stateDirectory: join(directory, `${name}-state`),
      },
      {
        ...(options.signal && { signal: options.signal }),
        onProgress: (progress) => options.onProgress?.(member, progress),
      },
    );
  }
  await writeEnsemble(directory, { format: 1, beta, reference: 'reference', members: names, pairs: pairs.length });
}

/** Draws as many prompts as there are, with replacement, each with all its pairs. */
function drawnAnew(pairs: readonly Preference[], seed: number): Preference[] {
  const groups = [...Map.groupBy(pairs, ({ prompt }) => prompt).values()];
  const uniform = uniformGenerator(seed);
  return groups.flatMap(() => groups[Math.floor(uniform() * groups.length)]!);
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
