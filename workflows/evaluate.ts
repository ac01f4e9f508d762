/** Held-out statements, proved by the first and by the last model with equal samples. */

import type { RunState } from '../activities/run-state.ts';
import type { Evaluation } from '../data/schemas/round.ts';
import { control } from './activity-proxies.ts';
import { MODEL_DIGITS } from './contracts.ts';
import { proveShards } from './prove-shards.ts';

export async function evaluateHeldOut(run: string, state: RunState, isOpen: () => boolean): Promise<Evaluation | null> {
  const { config, data, hostQueue } = state;
  if (config.evaluation.samplesPerStatement === 0 || data.heldOut.count === 0) return null;
  const shards = await control('cut held-out statements into shards').planEvaluation({ run, config, data });
  const proved = async (checkpoint: RunState['checkpoint']): Promise<number> => {
    const name = `evaluation/${checkpoint.model.slice(0, MODEL_DIGITS)}`;
    const results = await proveShards({
      run,
      hostQueue,
      name,
      shards,
      checkpoint,
      config,
      isOpen,
      onShard: () => undefined,
    });
    return results.reduce((sum, shard) => sum + shard.provedStatements, 0);
  };
  const provedFirst = await proved(state.sft.checkpoint);
  const provedLast =
    state.checkpoint.model === state.sft.checkpoint.model ? provedFirst : await proved(state.checkpoint);
  return {
    statements: data.heldOut.count,
    samplesPerStatement: config.evaluation.samplesPerStatement,
    provedFirst,
    provedLast,
  };
}
