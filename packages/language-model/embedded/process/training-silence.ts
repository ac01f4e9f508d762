/** Computes how long a training process may be silent: the longest stretch of work on a slow machine. */
import { stat } from 'node:fs/promises';
import type { TrainRequest } from '../../trainer.ts';
import { parameterLayout } from '../training/parameter-layout.ts';

/** Time for work that does not grow with the model: reading examples, building graphs, files. */
const BASE_MS = 300_000;
/** Operations per token and weight (Kaplan et al., arXiv 2001.08361, §2.1): forward 2, backward 4. */
const FORWARD_OPERATIONS = 2;
const TRAINING_OPERATIONS = 6;
/** Operations a millisecond on a slow, shared machine: 1 GFLOP/s. One core of a laptop has tens. */
const OPERATIONS_PER_MS = 1e6;
/** A call has as many steps as take about two seconds, judged by the previous call; it may be slower than that one. */
const STEPS_MARGIN = 2;
/** Maximum delay of Node's timers. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Returns milliseconds. The process reports after each call of the engine, which has at least one optimizer step. The
 * held-out examples are scored between two calls. A file has at most about as many tokens as bytes.
 */
export async function trainingSilenceMs({ shape, tokensPerStep, heldOutPath }: TrainRequest): Promise<number> {
  const parameters = parameterLayout(shape).size;
  const heldOutTokens =
    heldOutPath === null
      ? 0
      : await stat(heldOutPath).then(
          ({ size }) => size,
          () => 0,
        );
  const operations =
    parameters * (TRAINING_OPERATIONS * STEPS_MARGIN * tokensPerStep + FORWARD_OPERATIONS * heldOutTokens);
  return Math.min(TIMER_MS_MAX, BASE_MS + Math.ceil(operations / OPERATIONS_PER_MS));
}
