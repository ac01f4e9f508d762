/** Plans the evaluation of a run's first and last model: shards of its held-out statements. */

import type { RunConfig } from '@stp/config';
import { type ArtifactRef, statementSchema } from '@stp/config/records';
import { planShards } from '../evaluation/plan-evaluation-shards.ts';
import type { RunStore } from '../ports.ts';
import { readAll } from '../records/record-files.ts';
import type { PreparedData } from '../run/prepared-data.ts';

export function planEvaluationActivity(ports: RunStore) {
  return {
    /** Writes shards of the held-out statements, with `evaluation.samplesPerStatement` samples each. */
    async planEvaluation(input: { run: string; config: RunConfig; data: PreparedData }): Promise<ArtifactRef[]> {
      const store = await ports.store(input.run);
      const statements = await readAll(store, input.data.heldOut, statementSchema);
      const { evaluation, sampling } = input.config;
      return planShards(store, statements, evaluation.samplesPerStatement, sampling);
    },
  };
}
