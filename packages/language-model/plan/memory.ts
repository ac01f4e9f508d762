/**
 * How much memory a GPU needs to train and to sample a decoder: estimates by formula. Each part carries its formula, so that a
 * person can check it. Sources: ZeRO (arXiv 1910.02054) for what a weight costs. What layers keep was counted by PyTorch's
 * hooks for saved tensors; on GPUs trainings took 10 to 26 % less than these formulas say, most where few tokens are scored
 * (docs/log.md).
 */
import type { Part } from '../memory-part.ts';
import type { ModelShape } from '../trainer.ts';

const GIB = 2 ** 30;
/** CUDA's context, the libraries' buffers and fragments. */
const OVERHEAD_GIB = 3;
/**
 * Bytes of activations for each token and hidden number of one layer, attention computed in place: what PyTorch keeps of transformers'
 * Qwen3 in bfloat16. Casting weights in float32 as they are used also keeps the residual stream in float32.
 */
const LAYER_BYTES = { cast: 66, stored: 60 } as const;
/** Bytes of a number of a layer's input, which is kept in place of its activations where these are computed again. */
const INPUT_BYTES = { cast: 4, stored: 2 } as const;
/** Bytes of a scored token and word: the logits in 16 bits, in float32, and their logarithms or their gradient. */
const LOGIT_BYTES = 2 + 4 + 4;
/** Bytes of a weight in four bits, with its share of the scales and of the embedding, which stays whole. */
const QUANTISED_BYTES = 0.6;

export interface TrainingSetup {
  readonly gpus: number;
  readonly kind: 'full' | 'lora';
  /** Rank of the adapter. */
  readonly rank: number;
  /** The weights below the adapter have four bits; every process holds all of them. */
  readonly isQuantised: boolean;
  readonly isSharded: boolean;
  readonly recomputes: boolean;
  /** Padded tokens in one pass of a process. */
  readonly microBatchTokens: number;
}

/** Weights of a Llama-like decoder, without norms and biases, which are thousandths of it. */
export function parameters(shape: ModelShape): {
  readonly layer: number;
  readonly embedding: number;
  readonly all: number;
} {
  const { hiddenSize: h, layers, heads, keyValueHeads, feedForwardSize: f, vocabularySize: v } = shape;
  const keyValue = (h / heads) * keyValueHeads;
  const layer = 2 * h * h + 2 * h * keyValue + 3 * h * f;
  const embedding = (shape.tiedEmbeddings === false ? 2 : 1) * h * v;
  return { layer, embedding, all: layers * layer + embedding };
}

/** Weights of an adapter of this rank on all matrices of the layers. */
export function adapterParameters(shape: ModelShape, rank: number): number {
  const { hiddenSize: h, layers, heads, keyValueHeads, feedForwardSize: f } = shape;
  const keyValue = (h / heads) * keyValueHeads;
  return layers * rank * (2 * (h + h) + 2 * (h + keyValue) + 3 * (h + f));
}

export function trainingMemory(shape: ModelShape, setup: TrainingSetup): Part[] {
  const { gpus, kind, rank, isQuantised, recomputes, microBatchTokens: tokens } = setup;
  const isSharded = setup.isSharded && gpus > 1;
  const { all, layer } = parameters(shape);
  const share = isSharded ? gpus : 1;
  const per = isSharded ? `/${gpus} GPUs` : ', on each GPU';
  const part = (what: string, bytes: number, formula: string): Part => ({ what, gib: bytes / GIB, formula });
  const trained = kind === 'full' ? all : adapterParameters(shape, rank);
  const states =
    kind === 'full'
      ? [
          part('weights', (4 * all) / share, `4 bytes × P${per}`),
          part('gradients', (4 * all) / share, `4 bytes × P${per}`),
          part('moments', (8 * all) / share, `2 × 4 bytes × P${per}`),
        ]
      : [
          isQuantised
            ? part('weights that stay', QUANTISED_BYTES * all, `${QUANTISED_BYTES} bytes × P, on each GPU`)
            : part('weights that stay', (2 * all) / share, `2 bytes × P${per}`),
          part('adapter', (16 * trained) / share, `(4 + 4 + 8) bytes × A${per}, A of rank ${rank}`),
        ];
  // One process computes with copies of its float32 weights; several have them brought together in 16 bits.
  const weights = kind === 'full' && !isSharded ? 'cast' : 'stored';
  const copies = weights === 'cast' ? [part('weights in 16 bits', 2 * all, '2 bytes × P, on each GPU')] : [];
  const gathered = isSharded ? [part('gathered layers', 2 * 2 * layer, '2 layers × 2 bytes × P of a layer')] : [];
  const { hiddenSize: h, layers, vocabularySize: v } = shape;
  const activations = recomputes
    ? part(
        'activations',
        tokens * h * (INPUT_BYTES[weights] * layers + LAYER_BYTES[weights]),
        `tokens × hidden × (${INPUT_BYTES[weights]} × layers + ${LAYER_BYTES[weights]}) bytes`,
      )
    : part(
        'activations',
        tokens * h * LAYER_BYTES[weights] * layers,
        `tokens × hidden × ${LAYER_BYTES[weights]} × layers bytes`,
      );
  return [
    ...states,
    ...copies,
    ...gathered,
    activations,
    part('logits', tokens * v * LOGIT_BYTES, `tokens × vocabulary × ${LOGIT_BYTES} bytes, every token scored`),
    { what: 'context and buffers', gib: OVERHEAD_GIB, formula: 'assumed' },
  ];
}

/** Bytes of the key-value cache for one token, in 16 bits. */
export function cacheBytesPerToken({ hiddenSize, layers, heads, keyValueHeads }: ModelShape): number {
  return 2 * 2 * layers * keyValueHeads * (hiddenSize / heads);
}

/** Computes the memory that a sampling server holds on each GPU before its cache. */
export function samplingMemory(shape: ModelShape, tensorParallelism: number): Part[] {
  return [
    {
      what: 'weights',
      gib: (2 * parameters(shape).all) / tensorParallelism / GIB,
      formula: `2 bytes × P/${tensorParallelism} GPUs`,
    },
    { what: 'context and buffers', gib: OVERHEAD_GIB, formula: 'assumed' },
  ];
}
