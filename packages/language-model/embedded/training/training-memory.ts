/**
 * How much memory a training by the embedded engine takes: estimates by formula, for all weights in float32. Peaks of small and
 * of pretrained models were 3 to 15 % below them (docs/log.md).
 */
import { totalmem } from 'node:os';
import { headSizeOf, type LlamaParts, llamaTensorShapes } from '../../checkpoint/llama-tensors.ts';
import { type Part, totalGib } from '../../memory-part.ts';
import type { ModelShape } from '../../trainer.ts';
import { MICRO_BATCH_TOKENS } from './pack-rows.ts';

const GIB = 2 ** 30;
/** Node and the libraries, with the examples. */
const PROCESS_GIB = 0.2;
/** Weights and two moments, in float32, in the process. */
const STATE_BYTES = 12;
/** The same as a step's result: in the loop of steps, as the graph's output, and as its copy. */
const NEXT_STATE_BYTES = 36;
/** A gradient, and the sum over micro-batches. */
const GRADIENT_BYTES = 8;
/** Numbers of a token in one layer that the gradient needs, by their size: hidden, and feed-forward. */
const HIDDEN_NUMBERS = 7;
const FEED_FORWARD_NUMBERS = 4;
/** Tensors of attention scores of the one layer that is computed. */
const SCORES_AT_ONCE = 4;
/** Tensors of the size of the logits that are held together. */
const LOGITS_AT_ONCE = 4;

/** `shape.contextLength` is that of the training. */
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

/** Memory of this machine, or of the container that this process is in, GiB. */
export function machineGib(): number {
  // Where there is no limit it is zero, or larger than any machine.
  const limit = process.constrainedMemory();
  return Math.min(totalmem(), limit > 0 ? limit : Number.POSITIVE_INFINITY) / GIB;
}

/** Says that a machine cannot hold it; null where it can. */
export function memoryProblem(parts: readonly Part[], there = machineGib()): string | null {
  const needed = totalGib(parts);
  if (needed <= there) return null;
  return `training it takes about ${needed.toFixed(1)} GiB of memory, and this machine has ${there.toFixed(1)}`;
}
