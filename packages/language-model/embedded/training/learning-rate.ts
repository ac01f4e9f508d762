/** The learning rate of each step: linear warm-up, then constant or falling. */
import type { TrainRequest } from '../../trainer.ts';

/** Share of the rate that the linear schedule ends at. */
const FINAL_SHARE = 0.1;

/** Rate of a step, counted from 1. The last warm-up step has the full rate; so has every one after it when constant. */
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
