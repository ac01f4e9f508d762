/** Training: examples and a checkpoint in, a checkpoint out. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type ArtifactRef, type CheckpointRef, checkpointRefSchema } from '../data/schemas/artifact.ts';
import { contentId } from '../data/schemas/ids.ts';
import type { OptimiserConfig, RunConfig } from '../data/schemas/run-config.ts';
import { optimiserSteps } from '../selfplay/select.ts';
import { fetchCheckpoint, storeCheckpoint, uploadsIn } from './checkpoints.ts';
import { withHeartbeat } from './edge.ts';
import { metricsAt } from './metrics.ts';
import type { Ports } from './ports.ts';
import { once } from './record-files.ts';

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
  readonly optimiser: OptimiserConfig;
}

/** The held-out loss is taken about this often in a training. */
export const HELD_OUT_SCORINGS = 10;

export function trainActivities(ports: Ports) {
  return {
    /** Trains for the steps that the number of examples asks for; a checkpoint that is there is not made again. */
    async trainModel(input: TrainModelInput): Promise<Trained> {
      const { run, config, optimiser } = input;
      const inputHash = contentId(
        'train',
        input.examples.crc32c,
        input.init?.model ?? '',
        JSON.stringify([config, optimiser]),
      );
      const name = `${input.name}-${inputHash.slice(0, 8)}`;
      const store = await ports.store(run);
      return once(store, `${name}/trained.json`, trainedSchema, () =>
        withHeartbeat(async (signal, tell, earlier) => {
          // An attempt that was cut off while it stored its checkpoint left uploads that this one, having come to the same
          // bytes, goes on from: until then every heartbeat carries them on.
          const uploads = uploadsIn(earlier);
          const report = (progress: object): void => tell({ uploads, ...progress });
          const scratch = await ports.scratch(run);
          // Named by the input: a retry on this node finds the state of the training that was cut off.
          const work = join(scratch, `train-${inputHash}`);
          const outputDirectory = join(work, 'checkpoint');
          await rm(outputDirectory, { recursive: true, force: true });
          const examplesPath = join(work, 'examples.jsonl');
          await store.download(input.examples, examplesPath);
          const { heldOut } = input;
          const heldOutPath = heldOut === null || heldOut.count === 0 ? null : join(work, 'held-out.jsonl');
          if (heldOut !== null && heldOutPath !== null) await store.download(heldOut, heldOutPath);
          const monitor = await ports.monitor(run);
          // Numbers for people: losing some must not end the training.
          const log = (step: number, values: Readonly<Record<string, number>>) =>
            monitor.log(metricsAt(input.name, step, values)).catch(() => undefined);
          const { epochs: _, examplesPerStep: __, stepsMin: ___, stepsMax: ____, ...hyperparameters } = optimiser;
          const steps = optimiserSteps(input.examples.count, optimiser);
          const result = await ports.trainer(run, config.modelThreads).train(
            {
              ...hyperparameters,
              examplesPath,
              initDirectory: input.init === null ? null : await fetchCheckpoint(store, input.init, scratch, signal),
              shape: config.model,
              outputDirectory,
              steps,
              seed: config.seed,
              stateDirectory: join(work, 'state'),
              heldOutPath,
              heldOutEverySteps: Math.ceil(steps / HELD_OUT_SCORINGS),
            },
            {
              signal,
              onProgress: (progress) => {
                report(progress);
                void log(progress.step, {
                  loss: progress.loss,
                  gradient_norm: progress.gradientNorm,
                  tokens_per_second: progress.tokensPerSecond,
                });
                // Of the weights before this step.
                if (progress.heldOutLoss !== null) void log(progress.step - 1, { held_out_loss: progress.heldOutLoss });
              },
            },
          );
          if (result.heldOutTooLong > 0) await log(result.steps, { held_out_too_long: result.heldOutTooLong });
          if (result.heldOutLoss !== null) await log(result.steps, { held_out_loss: result.heldOutLoss });
          const checkpoint = await storeCheckpoint(store, name, outputDirectory, {
            signal,
            uploads,
            onProgress: report,
          });
          await rm(work, { recursive: true, force: true });
          return {
            checkpoint,
            steps: result.steps,
            loss: result.finalLoss,
            tokens: result.tokens,
            seconds: result.seconds,
          };
        }),
      );
    },
  };
}
