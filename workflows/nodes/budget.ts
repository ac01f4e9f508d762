/**
 * The cost of a run so far, and its limit (`budget.usdMax`). At the bound the run pauses, gives machines of a cloud back, and
 * goes on when a person sets a higher one. Only runs with a bound watch it.
 */

import { costOfTokens, type MachineTime } from '@stp/config/workflow';
import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { RunState } from '../../activities/run/run-state.ts';
import { control } from '../control/activity-proxies.ts';
import type { RunControl } from '../control/run-control.ts';
import type { RunStatus } from '../control/run-status.ts';
import type { Machines } from './nodes.ts';

const MS_PER_HOUR = 3_600_000;
/** A sum that is reached within this time is reached now. */
const TIMER_MS_MIN = 1_000;

/** The state with the time of its machines up to now. */
export function withTime(state: RunState, until: MachineTime['until'], machines: Machines): RunState {
  return { ...state, machineTime: [...state.machineTime, { until, atMs: Date.now(), ...machines.time }] };
}

/**
 * Runs beside the body until that ends.
 * @param state what is known at the moment; null before the first model
 */
export async function withinBudget<T>(
  run: string,
  {
    state,
    steering,
    status,
    machines,
  }: {
    readonly state: () => RunState | null;
    readonly steering: RunControl;
    readonly status: RunStatus;
    readonly machines: Machines;
  },
  config: RunState['config'],
  body: () => Promise<T>,
): Promise<T> {
  if (config.budget.usdMax === null) return body();
  const watch = new CancellationScope();
  const watching = watch
    .run(async () => {
      const { perHour } = await control('what the machines cost').priceMachines(run, config.nodes);
      await watchBudget(perHour ?? 0);
    })
    .catch(async (error: unknown) => {
      // A bound that nobody watches would be none.
      if (!isCancellation(error)) await steering.pauseFor(`the budget cannot be watched: ${(error as Error).message}`);
    });
  try {
    return await body();
  } finally {
    watch.cancel();
    await watching;
  }

  async function watchBudget(perHour: number): Promise<void> {
    const spent = (): number => (perHour * machines.time.setMs) / MS_PER_HOUR + usdOfTokens(state());
    for (;;) {
      const usdMax = steering.usdMax!;
      const left = usdMax - spent();
      const leftMs = perHour > 0 && machines.areThere ? (left / perHour) * MS_PER_HOUR : Number.POSITIVE_INFINITY;
      if (left <= 0 || leftMs < TIMER_MS_MIN) {
        steering.usdSpent = spent();
        await pause(steering.usdSpent, usdMax);
        // A person has it end, which costs a little more.
        if (steering.stopping) return;
        continue;
      }
      const rounds = state()?.outcomes.length;
      const { areThere } = machines;
      const hasChanged = (): boolean =>
        steering.usdMax !== usdMax || state()?.outcomes.length !== rounds || machines.areThere !== areThere;
      if (Number.isFinite(leftMs)) await condition(hasChanged, Math.min(leftMs, MS_PER_HOUR));
      else await condition(hasChanged);
    }
  }

  async function pause(spent: number, usdMax: number): Promise<void> {
    const reason = `the run has cost ${spent.toFixed(2)} of ${usdMax} USD (budget.usdMax)`;
    await steering.pauseFor(reason);
    status.note(
      `**PAUSED**: ${reason}. The update \`setBudget\` with a higher sum continues it; \`stopAfterRound\` has it end after this round, with evaluation and report.`,
    );
    const raised = condition(() => steering.usdMax !== usdMax || steering.stopping);
    machines.rest(reason, raised);
    await raised;
    await steering.goOn();
  }
}

function usdOfTokens(state: RunState | null): number {
  if (state === null) return 0;
  const { price } = state.config.sampling;
  return state.outcomes.reduce((sum, { counts }) => sum + costOfTokens(counts, price), 0);
}
