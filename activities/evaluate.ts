/** Evaluation on the held-out split: the same statements and number of samples for two models. Nothing here trains. */
import type { ArtifactRef } from '../data/schemas/artifact.ts';
import { statementSchema } from '../data/schemas/records.ts';
import type { RunConfig } from '../data/schemas/run-config.ts';
import type { WorkItem } from '../selfplay/shards.ts';
import type { PreparedData } from './datasets.ts';
import type { Ports } from './ports.ts';
import { readAll } from './record-files.ts';
import { writeShards } from './shard-files.ts';

export function evaluateActivities(ports: Ports) {
  return {
    /** Shards of the held-out statements, `samplesPerStatement` each. */
    async planEvaluation(input: { run: string; config: RunConfig; data: PreparedData }): Promise<ArtifactRef[]> {
      const store = await ports.store(input.run);
      const statements = await readAll(store, input.data.heldOut, statementSchema);
      const items = statements.map(
        (statement): WorkItem => ({
          statement,
          origin: 'dataset',
          samples: input.config.evaluation.samplesPerStatement,
        }),
      );
      return writeShards(store, 'evaluation', items, input.config.sampling.statementsPerShard);
    },
  };
}
