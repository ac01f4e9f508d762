/**
 * How much memory a GPU needs to train and to sample a decoder: estimates by formula. Each part carries its formula, so that a
 * person can check it. Sources: ZeRO (arXiv 1910.02054) for what a weight costs, Korthikanti et al. (arXiv 2205.05198) for
 * activations.
 */
import type { ModelShape } from '../trainer.ts';

const GIB = 2 ** 30;
/** CUDA's context, the libraries' buffers and fragments. */
const OVERHEAD_GIB = 3;
/** Bytes of activations for each token and hidden number of one layer in 16 bits, attention computed in place. */
const LAYER_BYTES = 34;
/** Of a weight in four bits, with its share of the scales and of the embedding, which stays whole. */
const QUANTISED_BYTES = 0.6;

export interface Part {
  readonly what: string;
  /** GiB on each GPU. */
  readonly gib: number;
  readonly formula: string;
}

export interface TrainingSetup {
  readonly gpus: number;
  readonly kind: 'full' | 'lora';
  /** Of the adapter. */
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
  const { gpus, kind, rank, isQuantised, isSharded, recomputes, microBatchTokens: tokens } = setup;
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
  const gathered = isSharded ? [part('gathered layers', 2 * 2 * layer, '2 layers × 2 bytes × P of a layer')] : [];
  const { hiddenSize: h, layers, vocabularySize: v } = shape;
  const activations = recomputes
    ? part(
        'activations',
        tokens * h * (2 * layers + LAYER_BYTES),
        `tokens × hidden × (2 × layers + ${LAYER_BYTES}) bytes`,
      )
    : part('activations', tokens * h * LAYER_BYTES * layers, `tokens × hidden × ${LAYER_BYTES} × layers bytes`);
  return [
    ...states,
    ...gathered,
    activations,
    part('logits and their gradient', tokens * v * (4 + 4), 'tokens × vocabulary × 2 × 4 bytes'),
    { what: 'context and buffers', gib: OVERHEAD_GIB, formula: 'assumed' },
  ];
}

/** Bytes of the key-value cache for one token, in 16 bits. */
export function cacheBytesPerToken({ hiddenSize, layers, heads, keyValueHeads }: ModelShape): number {
  return 2 * 2 * layers * keyValueHeads * (hiddenSize / heads);
}

/** What a sampling server holds on each GPU before its cache. */
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

export const totalGib = (parts: readonly Part[]): number => parts.reduce((sum, { gib }) => sum + gib, 0);
