/** Computes the cost of a run from its state: machine time at the prices of the time, tokens, and Lean's time. */
import { costOfTokens, type MachineTime, type RunCost } from '@stp/config/records';
import { machinesText, priceOfNodes } from '../../infra/cloud/pricing.ts';
import type { RunState } from './run-state.ts';

const MS_PER_HOUR = 3_600_000;

export function costOfRun({ config, machineTime, outcomes }: RunState): RunCost {
  let before: Pick<MachineTime, 'setMs' | 'machineMs'> = { setMs: 0, machineMs: 0 };
  let basis = priceOfNodes(config.nodes, new Date()).basis;
  const lines = machineTime.map(({ until, atMs, setMs, machineMs }): RunCost['lines'][number] => {
    const counts = outcomes.find(({ round }) => round === until)?.counts;
    const price = priceOfNodes(config.nodes, new Date(atMs));
    basis = price.basis;
    const setHours = (setMs - before.setMs) / MS_PER_HOUR;
    const machineHours = (machineMs - before.machineMs) / MS_PER_HOUR;
    before = { setMs, machineMs };
    const ofTokens = counts === undefined ? 0 : costOfTokens(counts, config.sampling.price);
    return {
      until,
      machineHours,
      leanSeconds: counts?.leanSeconds ?? 0,
      tokens: counts?.tokens ?? 0,
      usd: price.perHour === null ? null : price.perHour * setHours + ofTokens,
    };
  });
  return {
    machines: machinesText(config.nodes),
    basis,
    lines,
    machineHours: lines.reduce((sum, line) => sum + line.machineHours, 0),
    usd: lines.reduce<number | null>((sum, { usd }) => (sum === null || usd === null ? null : sum + usd), 0),
  };
}
