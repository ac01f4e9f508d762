/**
 * Estimates the GPU memory for training and sampling a decoder. Each part carries its formula, so that a person can
 * check it. Source for the bytes of a weight: ZeRO (arXiv 1910.02054). PyTorch's hooks for saved tensors gave the
 * activations. Measured trainings took 10 to 26 % less than these estimates.
 */
import type { Part } from '../memory-part.ts';
import type { ModelShape } from '../trainer.ts';

const GIB = 2 ** 30;
/** Memory of CUDA's context, the libraries' buffers and fragmentation. */
const OVERHEAD_GIB = 3;
/**
 * Bytes of activations for each token, layer and hidden unit, with memory-efficient attention: what PyTorch keeps for
 * transformers' Qwen3 in bfloat16. `cast` is for weights in float32 that are cast when used; the residual stream then
 * stays in float32.
 */
const LAYER_BYTES = { cast: 66, stored: 60 } as const;
/** Bytes of each number of a layer's input, which replaces the activations if these are recomputed. */
const INPUT_BYTES = { cast: 4, stored: 2 } as const;
/**
 * Bytes for each scored token and vocabulary entry: the logits in 16 bits, in float32, and their logarithms or
 * gradient.
 */
const LOGIT_BYTES = 2 + 4 + 4;
/** Bytes of a four-bit weight, with its share of the scales and of the embedding, which is not quantised. */
const QUANTISED_BYTES = 0.6;

export interface TrainingSetup {
  readonly gpus: number;
  readonly kind: 'full' | 'lora';
  /** Rank of the adapter. */
  readonly rank: number;
  /** Whether the weights below the adapter have four bits. Every process then holds all of them. */
  readonly isQuantised: boolean;
  readonly isSharded: boolean;
  readonly recomputes: boolean;
  /** Padded tokens in one pass of a process. */
  readonly microBatchTokens: number;
}

/** Counts the weights of a Llama-like decoder. Norms and biases, some thousandths of the total, are left out. */
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

/** Counts the weights of an adapter of this rank on all matrices of the layers. */
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
  // A single process casts its float32 weights when they are used; several gather them in 16 bits.
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

/** Returns the bytes of the key-value cache for one token, in 16 bits. */
export function cacheBytesPerToken({ hiddenSize, layers, heads, keyValueHeads }: ModelShape): number {
  return 2 * 2 * layers * keyValueHeads * (hiddenSize / heads);
}

/** Computes a sampling server's memory on each GPU, without its cache. */
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
