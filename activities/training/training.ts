/**
 * A training on this machine, alone or as part of one over several machines. Reads examples and initial weights from
 * the store, runs the trainer, and sends figures to the monitor and states to the store. Callers determine the purpose
 * and the name of the checkpoint.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectiveConfig, OptimiserConfig, RunConfig } from '@stp/config';
import { contentId } from '@stp/config/ids';
import { type ArtifactRef, type CheckpointRef, checkpointRefSchema } from '@stp/config/records';
import type { TrainingShare, TrainResult } from '@stp/language-model';
import { optimiserSteps } from '@stp/selfplay';
import { log } from '@temporalio/activity';
import { z } from 'zod';
import { metricsAt } from '../metrics.ts';
import type { RunMonitor, RunScratch, RunStore, RunTrainer } from '../ports.ts';
import { fetchCheckpoint } from './checkpoints.ts';
import { StateCopies } from './state-copies.ts';
import type { TrainingStates } from './training-states.ts';

export const trainedSchema = z.strictObject({
  checkpoint: checkpointRefSchema,
  steps: z.number(),
  loss: z.number(),
  tokens: z.number(),
  seconds: z.number(),
});
export type Trained = z.infer<typeof trainedSchema>;

export interface TrainModelInput {
  readonly run: string;
  /** Name of the checkpoint in the store, such as `checkpoints/round-1`. */
  readonly name: string;
  readonly examples: ArtifactRef;
  /** Some examples that are scored for the held-out loss and never trained on; null for none. */
  readonly heldOut: ArtifactRef | null;
  /** Null: start from fresh weights. */
  readonly init: CheckpointRef | null;
  readonly config: Pick<RunConfig, 'model' | 'modelThreads' | 'seed'>;
  readonly optimiser: OptimiserConfig & { readonly objective?: ObjectiveConfig };
  /** The model that objectives compare with; missing or null: the initial weights. */
  readonly reference?: CheckpointRef | null;
}

/** Approximate number of times that the held-out loss is measured in a training. */
export const HELD_OUT_SCORINGS = 10;

/** Returns a hash of everything that a training depends on, and the training's name in the store. */
export function trainingName({ name, examples, init, config, optimiser, reference }: TrainModelInput): {
  readonly hash: string;
  readonly name: string;
} {
  const more = reference ? [reference.model] : [];
  const hash = contentId('train', examples.crc32c, init?.model ?? '', JSON.stringify([config, optimiser]), ...more);
  return { hash, name: `${name}-${hash.slice(0, 8)}` };
}

/** Paths of a training's files on this machine while it runs. */
export const trainingPaths = (work: string) => ({
  output: join(work, 'checkpoint'),
  state: join(work, 'state'),
  examples: join(work, 'examples.jsonl'),
  heldOut: join(work, 'held-out.jsonl'),
});

export interface TrainingPart {
  /** Folder of this machine. The training resumes from the state in its state folder. */
  readonly work: string;
  readonly states: TrainingStates;
  /** Name of this attempt, the same on all machines; null: make one. */
  readonly stateId: string | null;
  /** Null: this machine trains alone. */
  readonly share: TrainingShare | null;
  /** Called once, after the first step, with the step from which the training resumed. */
  readonly onStart?: (fromStep: number) => void;
}

/**
 * Trains for the number of steps that follows from the number of examples. The checkpoint is then in
 * `trainingPaths(work).output`.
 */
export async function trainHere(
  ports: RunStore & RunScratch & RunTrainer & RunMonitor,
  input: TrainModelInput,
  { work, states, stateId, share, onStart }: TrainingPart,
  signal: AbortSignal,
  report: (progress: object) => void,
): Promise<TrainResult> {
  const { run, config, optimiser, heldOut } = input;
  const paths = trainingPaths(work);
  const store = await ports.store(run);
  await rm(paths.output, { recursive: true, force: true });
  await store.download(input.examples, paths.examples);
  const heldOutPath = heldOut === null || heldOut.count === 0 ? null : paths.heldOut;
  if (heldOut !== null && heldOutPath !== null) await store.download(heldOut, heldOutPath);
  const fetched = async (checkpoint: CheckpointRef | null): Promise<string | null> =>
    checkpoint === null ? null : fetchCheckpoint(store, checkpoint, await ports.scratch(run), signal);
  const initDirectory = await fetched(input.init);
  const referenceDirectory = await fetched(input.reference ?? null);
  const monitor = await ports.monitor(run);
  // The figures are for people, so losing some must not end the training. All machines have the same figures.
  const tell = async (step: number, values: Readonly<Record<string, number>>) => {
    if ((share?.node ?? 0) === 0) await monitor.log(metricsAt(input.name, step, values)).catch(() => undefined);
  };
  let latest: object | null = null;
  let copied: object = {};
  const copies = new StateCopies({
    states,
    directory: paths.state,
    part: share ?? { node: 0, nodes: 1 },
    ...(stateId !== null && { id: stateId }),
    signal,
    onCopied: (state) => {
      copied = { stateInStore: state };
      report({ ...latest, ...copied });
    },
  });
  // The four fields that determine the number of steps.
  const { epochs, examplesPerStep, stepsMin, stepsMax, ...hyperparameters } = optimiser;
  const steps = optimiserSteps(input.examples.count, optimiser);
  const request = {
    ...hyperparameters,
    examplesPath: paths.examples,
    initDirectory,
    referenceDirectory,
    shape: config.model,
    outputDirectory: paths.output,
    steps,
    seed: config.seed,
    stateDirectory: paths.state,
    heldOutPath,
    heldOutEverySteps: Math.ceil(steps / HELD_OUT_SCORINGS),
  };
  try {
    const result = await ports.trainer(run, config.modelThreads).train(request, {
      signal,
      ...(share !== null && { share }),
      onKept: (state) => copies.copy(state),
      onProgress: (progress) => {
        if (latest === null) onStart?.(progress.step - 1);
        latest = progress;
        report({ ...latest, ...copied });
        const { step, loss, gradientNorm, tokensPerSecond, heldOutLoss } = progress;
        void tell(step, { loss, gradient_norm: gradientNorm, tokens_per_second: tokensPerSecond });
        // The loss belongs to the weights before this step.
        if (heldOutLoss !== null) void tell(step - 1, { held_out_loss: heldOutLoss });
      },
    });
    if (result.heldOutTooLong > 0) await tell(result.steps, { held_out_too_long: result.heldOutTooLong });
    if (result.heldOutLoss !== null) await tell(result.steps, { held_out_loss: result.heldOutLoss });
    return result;
  } finally {
    await copies.end();
  }
}

/** The result of a training, read from its checkpoint in the store. */
export const trainedOf = (checkpoint: CheckpointRef, result: TrainResult): Trained => ({
  checkpoint,
  steps: result.steps,
  loss: result.finalLoss,
  tokens: result.tokens,
  seconds: result.seconds,
});

/** Removes the states of a finished training. A failure is only logged, since leftover files do no harm. */
export async function dropStates(states: TrainingStates): Promise<void> {
  await states.drop().catch((error: unknown) => {
    log.warn('the states of a training could not be removed from the store', { error: String(error) });
  });
}
