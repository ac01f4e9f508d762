/**
 * The configuration and command of a Levanter training (`levanter.main.train_lm`, the release in
 * `infra/bootstrap/pins.json`). Every host of a slice gets the same. Locations are folders, or `gs://` addresses that
 * all hosts can reach.
 */

import type { LevanterEngine } from '@stp/config';
import { stringify } from 'yaml';
import type { WrittenRows } from '../../process/trainer-messages.ts';
import type { TrainRequest } from '../../trainer.ts';

/** STP's decay rates (docs/algorithm.md, section 8); epsilon as in the other trainers. */
const FIRST_DECAY = 0.9;
const SECOND_DECAY = 0.95;
const EPSILON = 1e-8;
/** Final rate of the linear schedule, as a share of the full rate. */
const FINAL_SHARE = 0.1;
/** Held-out rows are few: all of them are scored. */
const NO_PERMANENT_CHECKPOINTS = null;

export interface LevanterPaths {
  /** Checkpoint folder with the initial weights, shape and tokenizer. */
  readonly init: string;
  /** The rows of `levanter_rows.py`. */
  readonly trainRows: readonly string[];
  readonly heldOutRows: readonly string[];
  /** Levanter's own cache of the rows. */
  readonly cache: string;
  /** Checkpoints to resume from. A training finds those with its id. */
  readonly state: string;
  /** Folder of the finished model in Hugging Face's form, in its subfolder `step-N`. */
  readonly export: string;
  readonly logs: string;
}

export interface LevanterTraining {
  /** Names the training's checkpoints: a training with the same id resumes where the last one was interrupted. */
  readonly id: string;
  readonly request: Pick<
    TrainRequest,
    | 'steps'
    | 'tokensPerStep'
    | 'learningRate'
    | 'warmupSteps'
    | 'schedule'
    | 'weightDecay'
    | 'gradientClipNorm'
    | 'seed'
    | 'heldOutEverySteps'
    | 'shape'
  >;
  readonly engine: LevanterEngine;
  readonly paths: LevanterPaths;
}

/** Returns the rows in a step: as many as its tokens fill. */
export const rowsPerStep = ({ tokensPerStep, shape }: Pick<TrainRequest, 'tokensPerStep' | 'shape'>): number =>
  Math.max(1, Math.floor(tokensPerStep / shape.contextLength));

/**
 * Number of steps whose rows are written in addition to the trained ones: Levanter reads ahead this far (128 batches
 * held, 32 in progress). If it wraps around to a row that it already holds, this release truncates that row and fails.
 */
const STEPS_READ_AHEAD = 160;

/** Returns the number of rows to write for a training; each is another position in its data. */
export const rowsWanted = (request: Pick<TrainRequest, 'steps' | 'tokensPerStep' | 'shape'>): number =>
  (request.steps + STEPS_READ_AHEAD) * rowsPerStep(request);

/** Estimates the tokens of the steps: rows are similar, and Levanter does not report which it took. */
export const tokensOf = (
  request: Pick<TrainRequest, 'steps' | 'tokensPerStep' | 'shape'>,
  train: Pick<WrittenRows, 'rows' | 'tokens'>,
): number => Math.round((request.steps * rowsPerStep(request) * train.tokens) / train.rows);

/** Returns the folder of the export after this many steps: Levanter counts steps from 0. */
export const exportFolder = (steps: number): string => `step-${steps - 1}`;

/** Returns the text of the YAML file. */
export function levanterConfig({ id, request, engine, paths }: LevanterTraining): string {
  const { shape, steps, seed, learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm } = request;
  return stringify({
    data: {
      tokenizer: paths.init,
      cache_dir: paths.cache,
      // The rows are in the order of the steps, epoch after epoch.
      shuffle: false,
      components: {
        examples: {
          source: { type: 'url', train_urls: paths.trainRows, validation_urls: paths.heldOutRows },
          // A weight for each token: Levanter's mean is then Σ weight · loss / Σ weight over the batch
          // (docs/algorithm.md, section 8).
          format: { type: 'prebuilt', input_ids_key: 'input_ids', loss_weights_key: 'loss_weights' },
        },
      },
      train_weights: { examples: 1 },
    },
    // The sizes are those of the checkpoint. Without a reference Levanter would download a tokenizer.
    model: { type: 'llama', reference_checkpoint: paths.init, tokenizer: paths.init },
    initialize_from_hf: paths.init,
    use_hf_model_config: true,
    pad_tokenizer_to_match_model: true,
    train_seq_len: shape.contextLength,
    trainer: {
      id,
      seed,
      mp: 'p=f32,c=bfloat16',
      train_batch_size: rowsPerStep(request),
      allow_nondivisible_batch_size: true,
      per_device_parallelism: engine.rowsPerDevice,
      num_train_steps: steps,
      steps_per_eval: request.heldOutEverySteps,
      tracker: { type: 'json_logger' },
      // The norm over all gradients, at every step.
      watch: { watch_targets: ['grads'], include_per_parameter_norms: false, interval: 1 },
      log_dir: paths.logs,
      log_jaxprs: false,
      log_xla_hlo: false,
      require_accelerator: engine.requireAccelerator,
      mesh: { axes: { model: engine.modelParallelism } },
      checkpointer: {
        base_path: paths.state,
        save_interval: `${engine.keepStateSeconds}s`,
        keep: NO_PERMANENT_CHECKPOINTS,
      },
    },
    optimizer: {
      type: 'adam',
      learning_rate: learningRate,
      weight_decay: weightDecay,
      beta1: FIRST_DECAY,
      beta2: SECOND_DECAY,
      epsilon: EPSILON,
      max_grad_norm: gradientClipNorm,
      lr_schedule: schedule,
      warmup: warmupSteps,
      min_lr_ratio: schedule === 'linear' ? FINAL_SHARE : 1,
    },
    hf_save_path: paths.export,
    hf_save_steps: steps,
  });
}

export const levanterCommand = (engine: LevanterEngine, configPath: string): string[] => [
  engine.python,
  '-m',
  'levanter.main.train_lm',
  '--config_path',
  configPath,
];
