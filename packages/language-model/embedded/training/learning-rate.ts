/** The learning rate of each step: linear warm-up, then constant or linear decay. */
import type { TrainRequest } from '../../trainer.ts';

/** Final rate of the linear schedule, as a share of the full rate. */
const FINAL_SHARE = 0.1;

/**
 * Returns the rate of a step; steps count from 1. The last warm-up step has the full rate; so have all later ones if
 * constant.
 */
export function learningRateAt(
  step: number,
  {
    learningRate,
    warmupSteps,
    schedule,
    steps,
  }: Pick<TrainRequest, 'learningRate' | 'warmupSteps' | 'schedule' | 'steps'>,
): number {
  if (step < warmupSteps) return (learningRate * step) / warmupSteps;
  if (schedule === 'constant' || steps <= warmupSteps) return learningRate;
  const share = (step - warmupSteps) / (steps - warmupSteps);
  return learningRate * (1 - (1 - FINAL_SHARE) * share);
}
