/**
 * A training on this machine, alone or as part of one over several machines: reads examples and first weights from the
 * store, runs the trainer, sends numbers to the monitor and states to the store. Its callers know the purpose and the
 * place of the checkpoint.
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
  /** Name of the checkpoint in the store, `checkpoints/round-1`. */
  readonly name: string;
  readonly examples: ArtifactRef;
  /** A few examples that are scored and never trained on, for the held-out loss; null for none. */
  readonly heldOut: ArtifactRef | null;
  /** Null: fresh weights. */
  readonly init: CheckpointRef | null;
  readonly config: Pick<RunConfig, 'model' | 'modelThreads' | 'seed'>;
  readonly optimiser: OptimiserConfig & { readonly objective?: ObjectiveConfig };
  /** Model that objectives compare with; missing or null: the first weights. */
  readonly reference?: CheckpointRef | null;
}

/** The held-out loss is taken about this often in a training. */
export const HELD_OUT_SCORINGS = 10;

/** Returns a hash of what a training depends on, and its name in the store. */
export function trainingName({ name, examples, init, config, optimiser, reference }: TrainModelInput): {
  readonly hash: string;
  readonly name: string;
} {
  const more = reference ? [reference.model] : [];
  const hash = contentId('train', examples.crc32c, init?.model ?? '', JSON.stringify([config, optimiser]), ...more);
  return { hash, name: `${name}-${hash.slice(0, 8)}` };
}

/** Where a training's files are on this machine while it runs. */
export const placesIn = (work: string) => ({
  output: join(work, 'checkpoint'),
  state: join(work, 'state'),
  examples: join(work, 'examples.jsonl'),
  heldOut: join(work, 'held-out.jsonl'),
});

export interface TrainingPart {
  /** Folder of this machine. The training resumes from the state in its state folder. */
  readonly work: string;
  readonly states: TrainingStates;
  /** Name of this attempt, the same on all machines; null: one of its own. */
  readonly stateId: string | null;
  /** Null: it trains alone. */
  readonly share: TrainingShare | null;
  /** Reported once: the step from which it resumed, when the next step is done. */
  readonly onStart?: (fromStep: number) => void;
}

/** Trains for the steps that the number of examples asks for. The checkpoint lies in `placesIn(work).output` then. */
export async function trainHere(
  ports: RunStore & RunScratch & RunTrainer & RunMonitor,
  input: TrainModelInput,
  { work, states, stateId, share, onStart }: TrainingPart,
  signal: AbortSignal,
  report: (progress: object) => void,
): Promise<TrainResult> {
  const { run, config, optimiser, heldOut } = input;
  const places = placesIn(work);
  const store = await ports.store(run);
  await rm(places.output, { recursive: true, force: true });
  await store.download(input.examples, places.examples);
  const heldOutPath = heldOut === null || heldOut.count === 0 ? null : places.heldOut;
  if (heldOut !== null && heldOutPath !== null) await store.download(heldOut, heldOutPath);
  const fetched = async (checkpoint: CheckpointRef | null): Promise<string | null> =>
    checkpoint === null ? null : fetchCheckpoint(store, checkpoint, await ports.scratch(run), signal);
  const initDirectory = await fetched(input.init);
  const referenceDirectory = await fetched(input.reference ?? null);
  const monitor = await ports.monitor(run);
  // Numbers for people: losing some must not end the training. All machines have the same ones.
  const tell = async (step: number, values: Readonly<Record<string, number>>) => {
    if ((share?.node ?? 0) === 0) await monitor.log(metricsAt(input.name, step, values)).catch(() => undefined);
  };
  let latest: object | null = null;
  let copied: object = {};
  const copies = new StateCopies({
    states,
    directory: places.state,
    part: share ?? { node: 0, nodes: 1 },
    ...(stateId !== null && { id: stateId }),
    signal,
    onCopied: (state) => {
      copied = { stateInStore: state };
      report({ ...latest, ...copied });
    },
  });
  const { epochs: _, examplesPerStep: __, stepsMin: ___, stepsMax: ____, ...hyperparameters } = optimiser;
  const steps = optimiserSteps(input.examples.count, optimiser);
  const request = {
    ...hyperparameters,
    examplesPath: places.examples,
    initDirectory,
    referenceDirectory,
    shape: config.model,
    outputDirectory: places.output,
    steps,
    seed: config.seed,
    stateDirectory: places.state,
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
        // Of the weights before this step.
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

/** The states of a training that is done. Too much in the store is no reason to fail it. */
export async function dropStates(states: TrainingStates): Promise<void> {
  await states.drop().catch((error: unknown) => {
    log.warn('the states of a training could not be removed from the store', { error: String(error) });
  });
}
