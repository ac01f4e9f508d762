/** Samples one machine's share of the texts of a round's conjectures. */

import { withHeartbeat } from '../../edge.ts';
import type { RunModel, RunScratch, RunStore } from '../../ports.ts';
import { conjectureParts, type SampleConjecturesInput } from './conjecture-parts.ts';

export interface ConjectureShare {
  /** Number of the machine, from 0, and how many machines there are. */
  readonly share: number;
  readonly of: number;
}

export function sampleConjectureShareActivity(ports: RunStore & RunScratch & RunModel<'sample'>) {
  return {
    /**
     * Samples one machine's share of the parts, which `sampleConjectures` then finds done. Returns the number of parts.
     */
    async sampleConjectureShare(input: SampleConjecturesInput & ConjectureShare): Promise<number> {
      const { share, of, ...whole } = input;
      return withHeartbeat(async (signal, report) => {
        const parts = conjectureParts(ports, whole, (part) => part % of === share, signal, report);
        return (await Array.fromAsync(parts)).length;
      });
    },
  };
}
