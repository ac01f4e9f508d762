/** What a round attempts: statements, conjectures and canaries, cut into shards. */
import { z } from 'zod';
import { type ArtifactRef, artifactRefSchema } from '../data/schemas/artifact.ts';
import { type Statement, statementSchema } from '../data/schemas/records.ts';
import { randomStream } from '../selfplay/random.ts';
import { statementsToAttempt } from '../selfplay/seeds.ts';
import type { WorkItem } from '../selfplay/shards.ts';
import type { RoundContext } from './conjecture.ts';
import { conjectureRecordSchema } from './conjecture-records.ts';
import { certifiedRates, readManifests } from './history.ts';
import type { Ports } from './ports.ts';
import { once, readAll } from './record-files.ts';
import { writeShards } from './shard-files.ts';

const shardPlanSchema = z.strictObject({ shards: z.array(artifactRefSchema) });

/** Canaries in a round: enough to catch a checker that accepts anything, few enough not to be felt. */
const CANARIES_PER_ROUND = 6;

export function planActivities(ports: Ports) {
  return {
    /** Cuts statements, conjectures and canaries into shards, shuffled by the run's seed. */
    async planShards(input: RoundContext & { conjectures: ArtifactRef | null }) {
      const { run, round, config, data } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/plan.json`, shardPlanSchema, async () => {
        const best = await certifiedRates(store, await readManifests(store, input.history));
        const statements = await readAll(store, data.train, statementSchema);
        const random = randomStream(config.seed, round, 'plan');
        const attempted = statementsToAttempt(statements, best, config.selection, random);
        const conjectures = input.conjectures ? await readAll(store, input.conjectures, conjectureRecordSchema) : [];
        const canaries = random
          .shuffle(await readAll(store, data.canaries, statementSchema))
          .slice(0, CANARIES_PER_ROUND);
        const item = (statement: Statement, origin: WorkItem['origin']): WorkItem => {
          const { id, name, header, statement: text, split, labels, weight } = statement;
          const plain = { id, name, header, statement: text, split, labels, weight };
          return { statement: plain, origin, samples: config.sampling.samplesPerStatement };
        };
        const items = random.shuffle([
          ...attempted.map((statement) => item(statement, 'dataset')),
          ...conjectures.map((statement) => item(statement, 'conjecture')),
          ...canaries.map((statement) => item(statement, 'canary')),
        ]);
        return { shards: await writeShards(store, input.name, items, config.sampling.statementsPerShard) };
      });
    },
  };
}
