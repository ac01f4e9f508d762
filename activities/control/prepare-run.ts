/** Begins a run: resolves its configuration and stores it. */

import {
  type RunConfig,
  requireSameConfig,
  resolveConfig,
  runConfigSchema,
  type StartInput,
  startInputSchema,
} from '@stp/config';
import type { RunStore, RunTrackers } from '../ports.ts';
import { once } from '../records/record-files.ts';
import { requireUnreported } from '../run/finished-rounds.ts';

export function prepareRunActivity(ports: RunStore & RunTrackers) {
  return {
    /**
     * Resolves the configuration and stores it as `config.json`. A run's configuration never changes: another one is
     * STP1002. Restarting a run that was stopped early and has its report is STP1002 too.
     */
    async prepareRun(run: string, input: StartInput): Promise<RunConfig> {
      const { preset, rounds, seed, set } = startInputSchema.parse(input);
      const config = resolveConfig({ preset, set, flags: seed === undefined ? { rounds } : { rounds, seed } });
      if (config.tracking.length > 0) ports.requireTrackers(config.tracking);
      const store = await ports.store(run);
      const stored = await once(store, 'config.json', runConfigSchema, async () => config);
      requireSameConfig(run, stored, config);
      await requireUnreported(run, store, stored.rounds);
      return stored;
    },
  };
}
