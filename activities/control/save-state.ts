/** Leaves the state of a run in its store after each round (`state/round-N.json`), from which the report, and other runs, can start. */

import { logMetrics } from '../metrics.ts';
import type { RunMonitor, RunStore } from '../ports.ts';
import { once } from '../records/record-files.ts';
import { stateName } from '../run/finished-rounds.ts';
import { roundMetrics } from '../run/round-metrics.ts';
import { type RunState, runStateSchema } from '../run/run-state.ts';

export function saveStateActivity(ports: RunStore & RunMonitor) {
  return {
    /** Stores the state that the next round starts from. */
    async saveState(run: string, state: RunState): Promise<void> {
      const store = await ports.store(run);
      // A run that is started again passes here again, with other times of its stages: the first copy stays.
      await once(store, stateName(state.nextRound - 1), runStateSchema, async () => state);
      await logMetrics(ports, run, roundMetrics(state));
    },
  };
}
