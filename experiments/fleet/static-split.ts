/**
 * The same proofs dealt out beforehand, as STP does: batches of 40, each bound to a process of the fleet, which works them
 * off one after the other. Computed, not run: nothing happens in it but waiting. Start-up and Temporal cost nothing here.
 */
import { quantile } from './measures.ts';

/** Proofs in a batch (stp.md §5.3). */
const BATCH = 40;

export interface StaticSplit {
  readonly wallSeconds: number;
  /** Share of their processes' time that nodes spent on proofs. */
  readonly busy: { readonly min: number; readonly median: number; readonly max: number };
  readonly usefulShare: number;
}

export function staticSplit(proofs: readonly number[], nodes: number, processesPerNode: number): StaticSplit {
  const processes = nodes * processesPerNode;
  const busyMs = new Array<number>(processes).fill(0);
  for (let first = 0; first < proofs.length; first += BATCH) {
    const process = (first / BATCH) % processes;
    for (const ms of proofs.slice(first, first + BATCH)) busyMs[process] = busyMs[process]! + ms;
  }
  const wallMs = Math.max(...busyMs);
  const shares = Array.from({ length: nodes }, (_, node) => {
    const own = busyMs.slice(node * processesPerNode, (node + 1) * processesPerNode);
    return own.reduce((sum, ms) => sum + ms, 0) / (wallMs * processesPerNode);
  });
  return {
    wallSeconds: wallMs / 1_000,
    busy: { min: quantile(shares, 0), median: quantile(shares, 0.5), max: quantile(shares, 1) },
    usefulShare: proofs.reduce((sum, ms) => sum + ms, 0) / (wallMs * processes),
  };
}
