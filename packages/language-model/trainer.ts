/**
 * The `Trainer` port: trains on weighted examples and writes a checkpoint folder. Implementations: ONNX (`embedded/`),
 * PyTorch and Levanter.
 */
import { StpError } from '@stp/base';
import type { ObjectiveConfig } from '@stp/config';

/** Sizes of the embedded decoder (Llama-style: RMSNorm, RoPE, SwiGLU, grouped-query attention). */
export interface ModelShape {
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly feedForwardSize: number;
  readonly vocabularySize: number;
  /** Maximum length of a sequence, prompt and target together, tokens. */
  readonly contextLength: number;
  /** Whether the head shares the embedding matrix (the default) or has its own, `lm_head.weight`. */
  readonly tiedEmbeddings?: boolean;
}

export interface TrainRequest {
  /** JSON Lines file of the objective's records (packages/config/schemas/objectives/index.ts), read as a stream. */
  readonly examplesPath: string;
  /** The objective; default `likelihood`. All others require `initDirectory`. */
  readonly objective?: ObjectiveConfig;
  /** Folder of the reference model, with the same tokenizer; default: the initial weights. */
  readonly referenceDirectory?: string | null;
  /**
   * Folder of the initial weights: a checkpoint, or another model that the trainer supports. Null: the trainer's base,
   * else random weights of `shape` with a tokenizer trained on the examples.
   */
  readonly initDirectory: string | null;
  readonly shape: ModelShape;
  /** Folder of the new checkpoint; must not contain one. It is written under a temporary name, then renamed. */
  readonly outputDirectory: string;
  readonly steps: number;
  /** Tokens in a step: packed rows of contextLength, or as many whole records as fit. */
  readonly tokensPerStep: number;
  readonly learningRate: number;
  readonly warmupSteps: number;
  /** `constant` after warm-up (STP) or `linear` down to 10 % of the rate at the last step. */
  readonly schedule: 'constant' | 'linear';
  readonly weightDecay: number;
  readonly gradientClipNorm: number;
  readonly seed: number;
  /**
   * Folder for the state from which a killed training resumes if the same request is repeated; null: no state is saved.
   * The state of another request (other examples, recipe, start or threads) is ignored and then replaced. The caller
   * removes the folder once it has the result. Only one training at a time may use it.
   */
  readonly stateDirectory: string | null;
  /** `Example` records that are scored by likelihood but never trained on; null: none. */
  readonly heldOutPath: string | null;
  /** The held-out examples are scored before the first step, after every this many steps and after the last. */
  readonly heldOutEverySteps: number;
}

export interface TrainProgress {
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
  readonly gradientNorm: number;
  readonly tokensPerSecond: number;
  /** Held-out loss of the same weights as `loss`: those at the start of the step. Null if not scored. */
  readonly heldOutLoss: number | null;
}

export interface TrainResult {
  readonly steps: number;
  /** Weighted mean over the last tenth of the steps; for `likelihood` in nats per target token. */
  readonly finalLoss: number;
  /** Held-out loss of the finished model, nats per target token; null if there are no held-out examples that fit. */
  readonly heldOutLoss: number | null;
  readonly tokens: number;
  /** Time in optimizer steps, without work that a kill lost. */
  readonly seconds: number;
  /** Number of records dropped because prompt and target exceed the context. */
  readonly tooLong: number;
  /** Number of held-out examples dropped for the same reason; if all are, there is no held-out loss. */
  readonly heldOutTooLong: number;
}

/** A state in the request's state folder. */
export interface KeptState {
  /** Finished optimizer steps. */
  readonly step: number;
  /**
   * The files that a state folder needs for a training to resume, relative to it; with several machines, this machine's
   * part. Each file is complete and never modified, but a later state may replace or remove it. To keep a file, link
   * it.
   */
  readonly files: readonly string[];
}

/** One machine's part of a training that several do together. */
export interface TrainingShare {
  /** Number of this machine, from 0. */
  readonly node: number;
  readonly nodes: number;
  /** Address at which the other machines find the first one. */
  readonly address: string;
  readonly port: number;
}

export interface TrainOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: TrainProgress) => void;
  /**
   * Called with saved states, one at a time; states saved before its promise has settled are skipped. It handles its
   * own errors.
   */
  readonly onKept?: (state: KeptState) => Promise<void>;
  /**
   * Only for the PyTorch trainer; others throw STP1002. The first machine writes the checkpoint; all return the
   * result.
   */
  readonly share?: TrainingShare;
}

/** Throws STP1002 if a training is to be part of one over several machines: for trainers without support for that. */
export function refuseShare({ share }: TrainOptions): void {
  if (share === undefined) return;
  const advice = 'Set engines.trainer.kind to pytorch, or train on one machine.';
  throw new StpError('STP1002', 'this trainer does not train together with other machines', advice);
}

export interface Trainer {
  train(request: TrainRequest, options?: TrainOptions): Promise<TrainResult>;
}
