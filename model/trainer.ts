/** The `Trainer` port: weighted examples in, a checkpoint folder out. Embedded ONNX here; Levanter and PyTorch later. */

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
  /** JSON Lines file of `Example` records (data/schemas/records.ts), read as a stream. */
  readonly examplesPath: string;
  /** Checkpoint folder to start from, or null for fresh weights of `shape` with a tokenizer trained on the examples. */
  readonly initDirectory: string | null;
  readonly shape: ModelShape;
  /** Folder the checkpoint is written to (made; must not hold one already). Written under a temporary name, then renamed. */
  readonly outputDirectory: string;
  readonly steps: number;
  /** Tokens in a step: packed rows of contextLength, or as many whole examples as fit. */
  readonly tokensPerStep: number;
  readonly learningRate: number;
  readonly warmupSteps: number;
  /** `constant` after warm-up (STP) or `linear` down to 10 % of the rate at the last step. */
  readonly schedule: 'constant' | 'linear';
  readonly weightDecay: number;
  readonly gradientClipNorm: number;
  readonly seed: number;
}

export interface TrainProgress {
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
  readonly gradientNorm: number;
  readonly tokensPerSecond: number;
}

export interface TrainResult {
  readonly steps: number;
  /** Weighted mean of the last tenth of the steps, nats per target token. */
  readonly finalLoss: number;
  readonly tokens: number;
  readonly seconds: number;
  /** Examples left out because prompt and target exceed the context. */
  readonly tooLong: number;
}

export interface TrainOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: TrainProgress) => void;
}

export interface Trainer {
  train(request: TrainRequest, options?: TrainOptions): Promise<TrainResult>;
}
