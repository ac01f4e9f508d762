/**
 * Estimates the memory of a training by the embedded engine, for all weights in float32. Measured peaks were 3 to 15 %
 * below these estimates.
 */
import { totalmem } from 'node:os';
import { headSizeOf, type LlamaParts, llamaTensorShapes } from '../../checkpoint/llama-tensors.ts';
import { type Part, totalGib } from '../../memory-part.ts';
import type { ModelShape } from '../../trainer.ts';
import { MICRO_BATCH_TOKENS } from './pack-rows.ts';

const GIB = 2 ** 30;
/** Memory of Node, the libraries and the examples. */
const PROCESS_GIB = 0.2;
/** Bytes per weight for the state in the process: the weight and two moments, in float32. */
const STATE_BYTES = 12;
/** Bytes per weight for a step's resulting state: in the loop, as the graph's output, and as its copy. */
const NEXT_STATE_BYTES = 36;
/** Bytes per weight for a gradient and the sum over micro-batches. */
const GRADIENT_BYTES = 8;
/** Numbers of hidden size, and of feed-forward size, that the gradient needs for each token and layer. */
const HIDDEN_NUMBERS = 7;
const FEED_FORWARD_NUMBERS = 4;
/** Attention score tensors of the layer being computed. */
const SCORES_AT_ONCE = 4;
/** Tensors of the logits' size in memory at once. */
const LOGITS_AT_ONCE = 4;

/** `shape.contextLength` is the training's context. */
export function embeddedTrainingMemory(shape: ModelShape, constants: LlamaParts = {}): Part[] {
  const { hiddenSize, feedForwardSize, layers, heads, contextLength, vocabularySize } = shape;
  const weights = [...llamaTensorShapes(shape, constants).values()].reduce(
    (sum, dimensions) => sum + dimensions.reduce((product, size) => product * size, 1),
    0,
  );
  const tokens = Math.max(MICRO_BATCH_TOKENS, contextLength);
  const scores = heads * contextLength;
  const querySize = Math.max(hiddenSize, headSizeOf(shape, constants) * heads);
  const ofLayer = HIDDEN_NUMBERS * querySize + FEED_FORWARD_NUMBERS * feedForwardSize + scores;
  const part = (what: string, bytes: number, formula: string): Part => ({ what, gib: bytes / GIB, formula });
  return [
    part('weights and moments', STATE_BYTES * weights, `${STATE_BYTES} bytes × P`),
    part('their next values', NEXT_STATE_BYTES * weights, `${NEXT_STATE_BYTES} bytes × P`),
    part('gradients', GRADIENT_BYTES * weights, `${GRADIENT_BYTES} bytes × P`),
    part(
      'activations',
      4 * tokens * (layers * ofLayer + SCORES_AT_ONCE * scores),
      `4 bytes × ${tokens} tokens × (layers × (${HIDDEN_NUMBERS} × hidden + ${FEED_FORWARD_NUMBERS} × feed-forward + heads × context) + ${SCORES_AT_ONCE} × heads × context)`,
    ),
    part(
      'logits',
      LOGITS_AT_ONCE * 4 * tokens * vocabularySize,
      `${LOGITS_AT_ONCE} × 4 bytes × ${tokens} tokens × vocabulary, every token scored`,
    ),
    { what: 'process', gib: PROCESS_GIB, formula: 'measured' },
  ];
}

/** Returns the memory of this machine, or of this process's container, GiB. */
export function machineGib(): number {
  // Without a limit the value is zero, or larger than the machine's memory.
  const limit = process.constrainedMemory();
  return Math.min(totalmem(), limit > 0 ? limit : Number.POSITIVE_INFINITY) / GIB;
}

/** Returns a message if the machine has too little memory, else null. */
export function memoryProblem(parts: readonly Part[], there = machineGib()): string | null {
  const needed = totalGib(parts);
  if (needed <= there) return null;
  return `training it takes about ${needed.toFixed(1)} GiB of memory, and this machine has ${there.toFixed(1)}`;
}
