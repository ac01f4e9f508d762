/** Conjectures of a round: inputs from seeds and lemmas, and the gate before any proof is sampled. */
import { z } from 'zod';
import { type ArtifactRef, artifactRefSchema } from '../data/schemas/artifact.ts';
import { contentId, statementId } from '../data/schemas/ids.ts';
import { type Conjecture, provedSchema, statementSchema } from '../data/schemas/records.ts';
import { gateCountsSchema, roundManifestSchema } from '../data/schemas/round.ts';
import type { RunConfig } from '../data/schemas/run-config.ts';
import { statementKey } from '../selfplay/dedupe.ts';
import { conjecturerPrompt, parseConjecture } from '../selfplay/prompts.ts';
import { randomStream } from '../selfplay/random.ts';
import { conjectureInputs, conjecturesMax } from '../selfplay/seeds.ts';
import {
  type ConjectureRecord,
  conjecturePlanSchema,
  conjectureRecordSchema,
  conjectureTextSchema,
} from './conjecture-records.ts';
import type { PreparedData } from './datasets.ts';
import { withHeartbeat } from './edge.ts';
import { certifiedRates, readManifests } from './history.ts';
import { metricsAt } from './metrics.ts';
import type { Ports } from './ports.ts';
import { once, readAll, readJson, readRecords, writeRecords } from './record-files.ts';

export const gatedSchema = z.strictObject({
  conjectures: artifactRefSchema,
  made: z.number().int(),
  counts: gateCountsSchema,
});
export type Gated = z.infer<typeof gatedSchema>;

export interface RoundContext {
  readonly run: string;
  readonly round: number;
  /** Folder of the round's objects. */
  readonly name: string;
  readonly config: RunConfig;
  readonly data: PreparedData;
  /** Manifests of the rounds before, oldest first. */
  readonly history: readonly ArtifactRef[];
  /** First round whose proofs are replayed (STP §2.11: a retraining empties the replay window). */
  readonly replayFrom: number;
}

export function conjectureActivities(ports: Ports) {
  return {
    /** Chooses seeds and lemmas and writes the conjecturer's prompts; null when nothing can seed a conjecture yet. */
    async planConjectures(input: RoundContext): Promise<ArtifactRef | null> {
      const { run, round, config, data } = input;
      const store = await ports.store(run);
      const manifests = await readManifests(store, input.history);
      const proved = (
        await Promise.all(manifests.toReversed().map((manifest) => readAll(store, manifest.proved, provedSchema)))
      ).flat();
      const library = new Map((await ports.sources.libraryTheorems()).map((theorem) => [theorem.name, theorem]));
      const best = await certifiedRates(store, manifests);
      const max = conjecturesMax(config.conjectures.perRoundMax, data.train.count, data.train.count - best.size);
      const wanted = Math.ceil(max * config.conjectures.oversampling);
      const inputs = conjectureInputs(
        proved,
        best,
        (name) => library.has(name),
        data.train.count,
        wanted,
        config.conjectures,
        randomStream(config.seed, round, 'seeds'),
      );
      if (inputs.length === 0) return null;
      const plan = inputs.map(({ seed, lemma }): z.infer<typeof conjecturePlanSchema> => {
        const origin = {
          lemmaStatement: lemma === null ? null : library.get(lemma)!.statement,
          easyStatement: seed.statement,
          easyProof: seed.proof,
        };
        return {
          prompt: conjecturerPrompt({ ...origin, lemma: origin.lemmaStatement }),
          seedId: seed.statementId,
          header: seed.header,
          labels: ['conjecture'],
          lemma,
          origin,
        };
      });
      return writeRecords(store, `${input.name}/conjecture-plan.jsonl`, plan);
    },

    /**
     * The gate: a text becomes a conjecture when it parses, is screened, is new up to names (against the dataset, the
     * library, held-out statements and all conjectures before it) and elaborates in Lean. At most `perRoundMax` pass.
     */
    async gateConjectures(input: RoundContext & { plan: ArtifactRef; texts: ArtifactRef }): Promise<Gated> {
      const { run, round, config } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/gated.json`, gatedSchema, () =>
        withHeartbeat(async (signal) => {
          const plan = await readAll(store, input.plan, conjecturePlanSchema);
          const taken = await knownStatementKeys(ports, input);
          const counts: Record<string, number> = {};
          const count = (verdict: string): void => {
            counts[verdict] = (counts[verdict] ?? 0) + 1;
          };
          const candidates: ConjectureRecord[] = [];
          let made = 0;
          for await (const { input: index, text } of readRecords(store, input.texts, conjectureTextSchema)) {
            made++;
            const entry = plan[index];
            const name = `conjecture_${round}_${contentId('name', text).slice(0, 8)}`;
            const statement = entry ? parseConjecture(text, name) : null;
            if (entry === undefined || statement === null) {
              count('unparsable');
              continue;
            }
            const key = statementKey(null, statement);
            if (taken.has(key)) {
              count('duplicate');
              continue;
            }
            taken.add(key);
            const { seedId, header, labels, lemma, origin } = entry;
            const id = statementId(header, statement);
            candidates.push({
              id,
              name,
              header,
              statement,
              split: 'train',
              labels,
              weight: 1,
              seedId,
              lemma,
              round,
              level: 1,
              origin,
            });
          }
          const verifier = await ports.verifier(run, config.verification);
          const results = await verifier.checkStatements(candidates, { signal });
          const accepted: ConjectureRecord[] = [];
          const best = await certifiedRates(store, await readManifests(store, input.history));
          const { count: statements } = input.data.train;
          const max = conjecturesMax(config.conjectures.perRoundMax, statements, statements - best.size);
          for (const [index, result] of results.entries()) {
            if (result.kind === 'infra' || result.kind === 'header_error')
              throw new Error(`Lean could not check conjectures: ${result.messages[0]?.text ?? result.kind}`);
            if (result.kind === 'forbidden') count('forbidden');
            else if (result.kind !== 'accepted') count('not-elaborating');
            else if (accepted.length >= max) count('over-cap');
            else {
              count('accepted');
              accepted.push(candidates[index]!);
            }
          }
          const monitor = await ports.monitor(run);
          await monitor.log(
            metricsAt(input.name, round, { conjectures_made: made, conjectures_accepted: accepted.length }),
          );
          return {
            conjectures: await writeRecords(store, `${input.name}/conjectures.jsonl`, accepted, signal),
            made,
            counts,
          };
        }),
      );
    },
  };
}

/** Keys of every statement that a conjecture may not be: training set, library, held-out (as hashes), earlier conjectures. */
async function knownStatementKeys(ports: Ports, input: RoundContext): Promise<Set<string>> {
  const store = await ports.store(input.run);
  const keys = new Set<string>();
  for await (const statement of readRecords(store, input.data.train, statementSchema))
    keys.add(statementKey(null, statement.statement));
  for await (const key of readRecords(store, input.data.heldOutKeys, z.string())) keys.add(key);
  for (const theorem of await ports.sources.libraryTheorems()) keys.add(statementKey(null, theorem.statement));
  for (const ref of input.history) {
    const manifest = await readJson(store, ref, roundManifestSchema);
    if (manifest.conjectures)
      for await (const conjecture of readRecords<Conjecture>(store, manifest.conjectures, conjectureRecordSchema))
        keys.add(statementKey(null, conjecture.statement));
  }
  return keys;
}
