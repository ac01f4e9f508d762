/** Between verification and training: what is attempted, what was proved, what trains, and the round's manifest. */
import { z } from 'zod';
import { type ArtifactRef, artifactRefSchema } from '../data/schemas/artifact.ts';
import { contentId } from '../data/schemas/ids.ts';
import {
  exampleSchema,
  type Proved,
  provedSchema,
  type Sample,
  sampleSchema,
  type Verdict,
  verdictSchema,
} from '../data/schemas/records.ts';
import {
  type GateCounts,
  type RoundManifest,
  rateSchema,
  roundCountsSchema,
  type ShardResult,
  sumVerdicts,
} from '../data/schemas/round.ts';
import { proverPrompt } from '../selfplay/prompts.ts';
import { randomStream } from '../selfplay/random.ts';
import { countRates, passRate, sumRates } from '../selfplay/rates.ts';
import { conjecturerExamples, dedupeExamples, proverExamples, retrainExamples } from '../selfplay/select.ts';
import { type WorkItem, workItemSchema } from '../selfplay/shards.ts';
import type { RoundContext } from './conjecture.ts';
import { conjectureRecordSchema } from './conjecture-records.ts';
import { readManifests } from './history.ts';
import type { Ports } from './ports.ts';
import { once, readAll, readRecords, writeRecords } from './record-files.ts';
import type { Certified } from './verify.ts';

const collectedSchema = z.strictObject({ rates: artifactRefSchema, proved: artifactRefSchema });
const finishedSchema = z.strictObject({
  manifest: artifactRefSchema,
  counts: roundCountsSchema,
  examples: artifactRefSchema.nullable(),
});
export type Finished = z.infer<typeof finishedSchema>;

export interface FinishRoundInput extends RoundContext {
  readonly modelIn: string;
  readonly shards: readonly ShardResult[];
  readonly conjectures: ArtifactRef | null;
  readonly conjecturesMade: number;
  readonly gate: GateCounts;
  readonly rates: ArtifactRef;
  readonly certified: Certified;
}

export function selectActivities(ports: Ports) {
  return {
    /** Pass rates and the distinct proofs of a round, shard after shard. */
    async collectRound(input: RoundContext & { shards: readonly ShardResult[] }) {
      const { run, round } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/collected.json`, collectedSchema, async () => {
        async function* rates() {
          for (const shard of input.shards) {
            const items = await itemsById(ports, run, shard.items);
            const samples: Sample[] = [];
            const verdicts = new Map<string, Verdict>();
            for (const part of shard.parts) {
              for await (const sample of readRecords(store, part.samples, sampleSchema))
                if (items.get(sample.statementId)?.origin !== 'canary') samples.push(sample);
              for await (const verdict of readRecords(store, part.verdicts, verdictSchema))
                verdicts.set(verdict.sampleId, verdict);
            }
            yield* countRates(samples, verdicts, (id) =>
              items.get(id)!.origin === 'conjecture' ? 'conjecture' : 'dataset',
            );
          }
        }
        const ratesRef = await writeRecords(store, `${input.name}/rates.jsonl`, rates());
        const rateOf = new Map(
          (await readAll(store, ratesRef, rateSchema)).map((rate) => [rate.statementId, passRate(rate)]),
        );
        async function* proved(): AsyncGenerator<Proved> {
          for (const shard of input.shards) {
            const items = await itemsById(ports, run, shard.items);
            const [part] = shard.parts;
            const samples = new Map(
              (await readAll(store, part!.samples, sampleSchema)).map((sample) => [sample.id, sample]),
            );
            for await (const verdict of readRecords(store, part!.verdicts, verdictSchema)) {
              const sample: Sample | undefined = samples.get(verdict.sampleId);
              const item = sample && items.get(sample.statementId);
              if (verdict.kind !== 'proved' || !sample || !item || item.origin === 'canary') continue;
              const { id, name, header, statement } = item.statement;
              yield {
                statementId: id,
                name,
                header,
                statement,
                proof: sample.proof,
                origin: item.origin,
                level: item.origin === 'dataset' ? 0 : 1,
                round,
                passRate: rateOf.get(id) ?? 0,
                premises: verdict.premises,
                model: sample.model,
                seed: sample.seed,
                leanVersion: verdict.leanVersion,
                promptHash: contentId('prompt', proverPrompt(statement)),
                certificate: null,
                checkMs: verdict.checkMs,
              };
            }
          }
        }
        return { rates: ratesRef, proved: await writeRecords(store, `${input.name}/found.jsonl`, proved()) };
      });
    },

    /** Filters and weighs what trains the next model, counts the round, and writes its manifest last. */
    async finishRound(input: FinishRoundInput): Promise<Finished> {
      const { run, round, config, data, certified } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/finished.json`, finishedSchema, async () => {
        const earlier = await readManifests(store, input.history);
        const own = await readAll(store, certified.proved, provedSchema);
        const ownRates = await readAll(store, input.rates, rateSchema);
        const replayed = (config.selection.replayRounds ?? earlier.length + 1) - 1;
        const windowManifests = replayed > 0 ? earlier.slice(-replayed).toReversed() : [];
        const window = [...own];
        const windowRates = [ownRates];
        for (const manifest of windowManifests) {
          window.push(...(await readAll(store, manifest.proved, provedSchema)));
          windowRates.push(await readAll(store, manifest.rates, rateSchema));
        }
        const prover = proverExamples(window, sumRates(windowRates), config.selection);
        const conjectures = input.conjectures ? await readAll(store, input.conjectures, conjectureRecordSchema) : [];
        const proofsOf = Map.groupBy(own, (proof) => proof.statementId);
        const rateOf = new Map(ownRates.map((rate) => [rate.statementId, rate]));
        const kept = conjecturerExamples(conjectures, proofsOf, rateOf, config.conjectures);
        const examples = randomStream(config.seed, round, 'examples').shuffle(
          dedupeExamples([...prover, ...kept.map((entry) => entry.example)]),
        );
        const everProved = new Set(own.filter((proof) => proof.origin === 'dataset').map((proof) => proof.statementId));
        const provedThisRound = everProved.size;
        for (const manifest of earlier)
          for await (const proof of readRecords(store, manifest.proved, provedSchema))
            if (proof.origin === 'dataset') everProved.add(proof.statementId);
        const sum = (pick: (shard: ShardResult) => number): number =>
          input.shards.reduce((total, shard) => total + pick(shard), 0);
        const verdicts = sumVerdicts(input.shards.map((shard) => shard.verdictCounts));
        const trains = examples.length > 0;
        const counts: RoundManifest['counts'] = {
          attempted: ownRates.filter((rate) => rate.origin === 'dataset').length,
          samples: sum((shard) => shard.sampleCount),
          distinctSamples: sum((shard) => shard.distinctCount),
          tokens: sum((shard) => shard.tokens),
          conjecturesMade: input.conjecturesMade,
          conjecturesAttempted: conjectures.length,
          conjecturesProved: conjectures.filter((conjecture) => proofsOf.has(conjecture.id)).length,
          conjecturesKept: kept.length,
          gate: input.gate,
          verdicts,
          provedThisRound,
          provedEver: everProved.size,
          certified: certified.certified,
          certificateRefused: certified.refused,
          proverExamples: trains ? prover.length : 0,
          conjecturerExamples: trains ? kept.length : 0,
        };
        const examplesRef = trains ? await writeRecords(store, `${input.name}/examples.jsonl`, examples) : null;
        const manifest: RoundManifest = {
          round,
          inputHash: contentId(
            'round',
            String(round),
            input.modelIn,
            JSON.stringify(config),
            ...input.history.map((ref) => ref.crc32c),
            data.train.crc32c,
          ),
          modelIn: input.modelIn,
          rates: input.rates,
          proved: certified.proved,
          conjectures: input.conjectures,
          conjecturerExamples:
            kept.length > 0
              ? await writeRecords(
                  store,
                  `${input.name}/conjecturer-examples.jsonl`,
                  kept.map((entry) => entry.example),
                )
              : null,
          examples: examplesRef,
          shards: [...input.shards],
          counts,
        };
        const manifestRef = await store.put(`${input.name}/manifest.json`, `${JSON.stringify(manifest, null, 2)}\n`);
        return { manifest: manifestRef, counts, examples: examplesRef };
      });
    },

    /** Retraining set: SFT examples, proofs of all rounds, conjecturer examples of all rounds (STP §3). */
    async retrainSet(input: RoundContext): Promise<ArtifactRef> {
      const { run, round, config, data } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/examples.json`, artifactRefSchema, async () => {
        const manifests = await readManifests(store, input.history);
        const proved = (
          await Promise.all(manifests.map((manifest) => readAll(store, manifest.proved, provedSchema)))
        ).flat();
        const random = randomStream(config.seed, round, 'retrain');
        const found = retrainExamples(proved, config.retrain, config.selection.decayPerCharacter, random);
        const conjecturer = (
          await Promise.all(
            manifests.map((manifest) =>
              manifest.conjecturerExamples ? readAll(store, manifest.conjecturerExamples, exampleSchema) : [],
            ),
          )
        ).flat();
        const sft = await readAll(store, data.sft, exampleSchema);
        const examples = random.shuffle(dedupeExamples([...found, ...conjecturer, ...sft]));
        return writeRecords(store, `${input.name}/examples.jsonl`, examples);
      });
    },
  };
}

async function itemsById(ports: Ports, run: string, ref: ArtifactRef): Promise<Map<string, WorkItem>> {
  const items = await readAll(await ports.store(run), ref, workItemSchema);
  return new Map(items.map((item) => [item.statement.id, item]));
}
