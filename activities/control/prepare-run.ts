/** Begins a run: resolves its configuration and stores it. */

import { StpError } from '@stp/base';
import {
  type RunConfig,
  requireSameConfig,
  resolveConfig,
  runConfigSchema,
  type StartInput,
  startInputSchema,
} from '@stp/config';
import { priceOfNodes } from '../../infra/cloud/pricing.ts';
import type { RunStore, RunTrackers } from '../ports.ts';
import { once } from '../records/record-files.ts';
import { requireUnreported } from '../run/finished-rounds.ts';

export function prepareRunActivity(ports: RunStore & RunTrackers) {
  return {
    /**
     * Resolves the configuration and stores it as `config.json`. A run has one for good: another is STP1002, and so is
     * starting a run again that was stopped early and has its report.
     */
    async prepareRun(run: string, input: StartInput): Promise<RunConfig> {
      const { preset, rounds, seed, set } = startInputSchema.parse(input);
      const config = resolveConfig({ preset, set, flags: seed === undefined ? { rounds } : { rounds, seed } });
      requirePrice(config);
      if (config.tracking.length > 0) ports.requireTrackers(config.tracking);
      const store = await ports.store(run);
      const stored = await once(store, 'config.json', runConfigSchema, async () => config);
      requireSameConfig(run, stored, config);
      await requireUnreported(run, store, stored.rounds);
      return stored;
    },
  };
}

/** A budget that nothing can use up would bound nothing. */
function requirePrice({ budget, nodes, sampling }: RunConfig): void {
  if (budget.usdMax === null || sampling.price !== null) return;
  const { perHour, basis } = priceOfNodes(nodes, new Date());
  if (perHour === null)
    throw new StpError(
      'STP1001',
      `budget.usdMax is ${budget.usdMax}, but ${basis.split(';')[0]}`,
      'Say the price as nodes.pricePerHour, in USD an hour for all machines.',
    );
}
