/** Makes a run's `proofs.lean` ahead of its report. */

import { withHeartbeat } from '../edge.ts';
import type { DataSources, FileCheck, RunScratch, RunStore } from '../ports.ts';
import { keptProofs } from '../report/kept-proofs.ts';
import type { RunState } from '../run/run-state.ts';

export interface WriteProofsInput {
  readonly run: string;
  /** After the run's last round. */
  readonly state: RunState;
}

export function writeProofsActivity(ports: RunStore & RunScratch & FileCheck & DataSources<'modules'>) {
  return {
    /** Does the part of the report that needs Lean. */
    async writeProofs({ run, state }: WriteProofsInput): Promise<void> {
      await withHeartbeat((signal) => keptProofs(ports, run, state, signal));
    },
  };
}
