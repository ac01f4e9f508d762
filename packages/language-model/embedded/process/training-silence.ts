/** How long a training process may be silent: as long as its longest stretch of work may take on a slow machine. */
import { stat } from 'node:fs/promises';
import type { TrainRequest } from '../../trainer.ts';
import { parameterLayout } from '../training/parameter-layout.ts';

/** Time for work that is not in proportion to the model: reading examples, building the graphs, files. */
const BASE_MS = 300_000;
/** Operations a token and weight (Kaplan et al., arXiv 2001.08361, §2.1): forward 2, backward 4. */
const FORWARD_OPERATIONS = 2;
const TRAINING_OPERATIONS = 6;
/** Operations a millisecond of a machine that is slow, shared and at work on padding: 1 GFLOP/s. A laptop's core has tens. */
const OPERATIONS_PER_MS = 1e6;
/** Calls hold as many steps as take about two seconds, judged by the call before; one may be slower than that one. */
const STEPS_MARGIN = 2;
/** Node's timers hold no longer time than this. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Milliseconds. Reports come after each call of the engine, whose least is one optimizer step; the held-out examples are
 * scored between two of them. A file has at most about as many tokens as bytes.
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
