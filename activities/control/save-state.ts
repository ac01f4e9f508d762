/** Stores the state of a run after each round (`state/round-N.json`). The report and other runs start from it. */

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
      // A restarted run repeats this step with other stage times, so the first copy stays.
      await once(store, stateName(state.nextRound - 1), runStateSchema, async () => state);
      await logMetrics(ports, run, roundMetrics(state));
    },
  };
}
