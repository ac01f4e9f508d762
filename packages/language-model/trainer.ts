/**
 * The `Trainer` port: weighted examples in, a checkpoint folder out. Implemented with ONNX (`embedded/`), PyTorch and
 * Levanter.
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
  /** Longest sequence, prompt and target together, tokens. */
  readonly contextLength: number;
  /** Whether the head is the embedding matrix (the default) or a matrix of its own, `lm_head.weight`. */
  readonly tiedEmbeddings?: boolean;
}

export interface TrainRequest {
  /** JSON Lines file of the objective's records (packages/config/schemas/objectives/index.ts), read as a stream. */
  readonly examplesPath: string;
  /** The objective, by default `likelihood`; all others require `initDirectory`. */
  readonly objective?: ObjectiveConfig;
  /** Folder of the model that objectives compare with, of the same tokenizer; by default the weights it starts from. */
  readonly referenceDirectory?: string | null;
  /**
   * Folder to start from: a checkpoint, or another model that the trainer knows. Null: the trainer's base, else fresh weights of
   * `shape` with a tokenizer trained on the examples.
   */
  readonly initDirectory: string | null;
  readonly shape: ModelShape;
  /** Folder the checkpoint is written to (made; must not hold one already). Written under a temporary name, then renamed. */
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
   * Folder for the state from which a killed training resumes when the same request is made again; null keeps none. A
   * state of another request (other examples, recipe, start or threads) is ignored and then replaced. The folder is the
   * caller's to remove once it has the result; one training at a time may use it.
   */
  readonly stateDirectory: string | null;
  /** `Example` records that are scored by their likelihood and never trained on; null for none. */
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
  /** Loss on the held-out examples of the weights that `loss` is of: those the step started from. Null if not scored. */
  readonly heldOutLoss: number | null;
}

export interface TrainResult {
  readonly steps: number;
  /** Weighted mean of the last tenth of the steps; of `likelihood` nats per target token. */
  readonly finalLoss: number;
  /** Loss of the finished model on the held-out examples, nats per target token; null without such examples that fit. */
  readonly heldOutLoss: number | null;
  readonly tokens: number;
  /** Time in optimizer steps; what a killed training did after its last kept state is not counted. */
  readonly seconds: number;
  /** Records left out because prompt and target exceed the context. */
  readonly tooLong: number;
  /** Held-out examples left out for the same reason; where it is all of them, there is no held-out loss. */
  readonly heldOutTooLong: number;
}

/** A state in the request's state folder. */
export interface KeptState {
  /** Optimizer steps done. */
  readonly step: number;
  /**
   * The files that a state folder must contain for a training to resume, relative to it; with several machines, this
   * one's part. Each file is complete and never changed in place, but a later state may replace or remove it: link it
   * to keep it.
   */
  readonly files: readonly string[];
}

/** One machine's part of a training that several do together. */
export interface TrainingShare {
  /** Number of this machine, from 0. */
  readonly node: number;
  readonly nodes: number;
  /** Where the first machine is to be found by the others. */
  readonly address: string;
  readonly port: number;
}

export interface TrainOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: TrainProgress) => void;
  /** Told of one state at a time: of those kept before the promise has settled it does not hear. Its errors are its own. */
  readonly onKept?: (state: KeptState) => Promise<void>;
  /** The PyTorch trainer's alone; others throw STP1002. The first machine writes the checkpoint; all say the result. */
  readonly share?: TrainingShare;
}

/** Throws STP1002 where a training is to be a part of one over several machines: for trainers that know no such parts. */
export function refuseShare({ share }: TrainOptions): void {
  if (share === undefined) return;
  const advice = 'Set engines.trainer.kind to pytorch, or train on one machine.';
  throw new StpError('STP1002', 'this trainer does not train together with other machines', advice);
}

export interface Trainer {
  train(request: TrainRequest, options?: TrainOptions): Promise<TrainResult>;
}
