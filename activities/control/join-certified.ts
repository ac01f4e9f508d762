/** Joins the certified proofs of the parts that `cutProofs` has cut. */

import { withHeartbeat } from '../edge.ts';
import type { RunStore } from '../ports.ts';
import { once } from '../records/record-files.ts';
import { type Certified, certifiedSchema, joinCertified } from '../round/certified.ts';

export function joinCertifiedActivity(ports: RunStore) {
  return {
    async joinCertified(input: {
      readonly run: string;
      readonly name: string;
      readonly certified: readonly Certified[];
    }): Promise<Certified> {
      const { run, name, certified } = input;
      const store = await ports.store(run);
      return once(store, `${name}/certified.json`, certifiedSchema, () =>
        withHeartbeat((signal) => joinCertified(store, name, certified, signal)),
      );
    },
  };
}
