/**
 * The optimizer steps of a training: packs records, runs some steps in each call, watches the loss, and saves the state
 * at intervals. The number of steps in a call follows the clock and affects only how often progress is reported. An
 * objective that needs the log-probabilities of the current weights gets one step in each call.
 */
import { StpError } from '@stp/base';
import { oneAtATime } from '../../process/one-at-a-time.ts';
import type { TrainOptions, TrainRequest } from '../../trainer.ts';
import type { Evaluated } from '../objectives/objective.ts';
import type { HeldOut } from './held-out.ts';
import { learningRateAt } from './learning-rate.ts';
import { type DataCursor, exampleSteps } from './schedule-examples.ts';
import { sequenceLogprobs } from './sequence-logprobs.ts';
import type { StateFile } from './state-file.ts';
import { stepBatches, type Task } from './step-batches.ts';
import type { StepPlan, TrainingEngine } from './training-engine.ts';
import type { TrainingProgress, TrainingState } from './training-state.ts';

/** Share of the last steps over which the final loss is averaged. */
const FINAL_LOSS_SHARE = 0.1;
/** Target duration of a call: frequent reports, and little overhead for copying the state in and out. */
const CALL_SECONDS = 2;
/** Maximum steps and tokens of a call. They bound the feeds when steps are very short. */
const CALL_STEPS_MAX = 64;
const CALL_TOKENS_MAX = 1 << 20;
/** Maximum share of the time for saving the state, however slow the disk is. */
const KEEPING_SHARE_MAX = 0.05;
const MILLISECONDS = 1000;

interface PlannedStep {
  readonly plan: StepPlan;
  readonly evaluated: Evaluated;
  readonly tokens: number;
  readonly next: DataCursor;
}

export interface StepsRun {
  readonly engine: TrainingEngine;
  readonly state: TrainingState;
  readonly progress: TrainingProgress;
  readonly task: Task;
  readonly heldOut: HeldOut | null;
  readonly stateFile: StateFile | null;
  /** Minimum time between two saves of the state. */
  readonly keepStateMs: number;
  /** Steps in each call; null: by the clock. */
  readonly stepsPerCall: number | null;
}

/**
 * Runs from `run.progress` to the last step, changing `state`, and returns the final progress. Throws STP1301, naming the
 * step, if the loss or the gradient is no longer finite.
 */
export async function runSteps(
  run: StepsRun,
  request: TrainRequest,
  { signal, onProgress, onKept }: TrainOptions,
): Promise<TrainingProgress> {
  const { engine, state, task, heldOut, stateFile, keepStateMs } = run;
  const { objective, set } = task;
  const { steps, heldOutEverySteps } = request;
  const currentOf = (sequences: readonly number[]) =>
    sequenceLogprobs(engine, state.parameters, set, sequences, task.contextLength);
  const source = exampleSteps(set, request.tokensPerStep, request.seed, run.progress.cursor);
  const firstAveraged = steps - Math.max(1, Math.round(steps * FINAL_LOSS_SHARE)) + 1;
  const stepsFitting = Math.min(CALL_STEPS_MAX, Math.max(1, Math.floor(CALL_TOKENS_MAX / request.tokensPerStep)));
  const stepsMax = objective.needs.current ? 1 : stepsFitting;
  const kept = oneAtATime(onKept);
  let progress = run.progress;
  let stepsNext = 1;
  let keptAt = performance.now();
  let keepingMs = 0;
  while (progress.step < steps) {
    signal?.throwIfAborted();
    const untilScoring = heldOut === null ? steps : heldOutEverySteps - (progress.step % heldOutEverySteps);
    const count = Math.min(run.stepsPerCall ?? stepsNext, stepsMax, untilScoring, steps - progress.step);
    const heldOutLoss =
      heldOut !== null && untilScoring === heldOutEverySteps ? await heldOut.loss(engine, state.parameters) : null;
    const started = performance.now();
    const planned: PlannedStep[] = [];
    for (let step = progress.step + 1; step <= progress.step + count; step += 1) {
      const { indices, next } = source.next().value;
      const { batches, evaluated } = await stepBatches(task, indices, state.variables, currentOf);
      const tokens = indices.reduce((total, index) => total + set.length(index), 0);
      planned.push({ plan: { step, learningRate: learningRateAt(step, request), batches }, evaluated, tokens, next });
    }
    const results = await engine.train(
      state,
      planned.map(({ plan }) => plan),
    );
    const seconds = (performance.now() - started) / MILLISECONDS;
    const tokensPerSecond = planned.reduce((total, { tokens }) => total + tokens, 0) / seconds;
    results.forEach(({ step, loss: ofGraph, gradientNorm }, index) => {
      const { tokens, evaluated, next } = planned[index]!;
      const loss = evaluated.loss ?? ofGraph;
      if (!Number.isFinite(loss) || !Number.isFinite(gradientNorm)) throw diverged(step, loss, gradientNorm);
      signal?.throwIfAborted();
      for (const [variable, value] of evaluated.variables) state.variables[variable] = value;
      const averaged = step >= firstAveraged ? evaluated.weight : 0;
      progress = {
        step,
        cursor: next,
        tokens: progress.tokens + tokens,
        seconds: progress.seconds + seconds / count,
        finalLossSum: progress.finalLossSum + loss * averaged,
        finalWeight: progress.finalWeight + averaged,
      };
      const scored = index === 0 ? heldOutLoss : null;
      onProgress?.({ step, steps, loss, gradientNorm, tokensPerSecond, heldOutLoss: scored });
    });
    stepsNext = Math.min(stepsMax, Math.max(1, Math.round((count * CALL_SECONDS) / seconds)));
    const now = performance.now();
    const due = now - keptAt >= Math.max(keepStateMs, keepingMs / KEEPING_SHARE_MAX);
    if (stateFile !== null && due && progress.step < steps) {
      await stateFile.save(state, progress);
      keptAt = performance.now();
      keepingMs = keptAt - now;
      kept({ step: progress.step, files: stateFile.files });
    }
  }
  return progress;
}

function diverged(step: number, loss: number, gradientNorm: number): StpError {
  return new StpError(
    'STP1301',
    `training diverged at step ${step}: loss ${loss}, gradient norm ${gradientNorm}`,
    'Lower the learning rate or lengthen the warm-up; if its initial weights are new, train those again.',
    { facts: { step, loss, gradientNorm } },
  );
}
