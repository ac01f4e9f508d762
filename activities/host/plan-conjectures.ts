/** Plans a round's conjectures: makes their prompts from seeds or targets, in the order in which they are sampled. */

import { conjecturing, type RunConfig, type SeedConfig } from '@stp/config';
import {
  type ArtifactRef,
  libraryTheoremSchema,
  type ObjectStore,
  provedSchema,
  statementSchema,
} from '@stp/config/records';
import {
  type ConjectureOrigin,
  conjectureInputs,
  conjecturesMax,
  matchingWeight,
  type Random,
  randomStream,
  repeatInputs,
  SeedProofs,
} from '@stp/selfplay';
import { withHeartbeat } from '../edge.ts';
import type { RunStore } from '../ports.ts';
import { conjecturerFormOf } from '../prover-forms.ts';
import { readRecords, writeRecords } from '../records/record-files.ts';
import type { ConjecturePlan } from '../round/conjecture-records.ts';
import { grownTheorems } from '../round/library.ts';
import type { RoundContext } from '../round/round-context.ts';
import { bestRates, readManifests } from '../run/history.ts';

export function planConjecturesActivity(ports: RunStore) {
  return {
    /** Chooses seeds with lemmas, or targets, and writes the conjecturer's prompts; null when there is nothing to start from. */
    async planConjectures(input: RoundContext): Promise<ArtifactRef | null> {
      return withHeartbeat(async (signal) => {
        const store = await ports.store(input.run);
        const { conditionOn } = conjecturing(input.config.conjectures);
        const entries =
          conditionOn.kind === 'proved-seed'
            ? await seedPlan(store, input, conditionOn)
            : await targetPlan(store, input);
        return entries.length === 0
          ? null
          : writeRecords(store, `${input.name}/conjecture-plan.jsonl`, planRecords(entries, input.config), signal);
      });
    },
  };
}

type PlanEntry = Omit<ConjecturePlan, 'prompt' | 'labels'> & { readonly weight: number };

function* planRecords(entries: Iterable<PlanEntry>, { prover }: RunConfig): Generator<ConjecturePlan> {
  const { promptOf } = conjecturerFormOf(prover);
  for (const { seedId, header, lemma, origin } of entries)
    yield { ...promptOf({ header, origin }), seedId, header, labels: ['conjecture'], lemma, origin };
}

/** Returns the number of texts to ask for: the conjectures that the round may attempt, times the oversampling. */
function wantedTexts({ config, data }: RoundContext, proved: number): number {
  const { perRoundMax, oversampling } = conjecturing(config.conjectures);
  return Math.ceil(conjecturesMax(perRoundMax, data.train.count, data.train.count - proved) * oversampling);
}

/** Repeats the plan's entries by their weights, up to the number of texts wanted. */
function repeated(entries: readonly PlanEntry[], input: RoundContext, proved: number, random: Random): PlanEntry[] {
  return repeatInputs(
    entries,
    (entry) => entry.weight,
    input.data.train.count,
    wantedTexts(input, proved),
    conjecturing(input.config.conjectures).copiesMax,
    random,
  );
}

/**
 * Plans (lemma, proved statement) inputs. One pass over all earlier proofs keeps one proof for each seed statement. In
 * memory are these proofs, a number for each statement, and the inputs, which are at most as many as the statements.
 */
async function seedPlan(store: ObjectStore, input: RoundContext, seeding: SeedConfig): Promise<PlanEntry[]> {
  const { round, config, data } = input;
  const manifests = await readManifests(store, input.history);
  const best = await bestRates(store, manifests);
  const lemmas = new Map<string, string>();
  for await (const { name, statement } of readRecords(store, data.theorems, libraryTheoremSchema))
    lemmas.set(name, statement);
  for await (const { name, statement } of grownTheorems(store, input.library)) lemmas.set(name, statement);
  const isLemma = (name: string): boolean => lemmas.has(name);
  const seeds = new SeedProofs(best, seeding, isLemma, config.seed, round, 'seed proof');
  for (const manifest of manifests)
    for await (const proof of readRecords(store, manifest.proved, provedSchema)) seeds.offer(proof);
  const chosen = seeds.chosen();
  const seedIds = new Set(chosen.map(({ proof }) => proof.statementId));
  const weights = new Map<string, number>();
  let proved = 0;
  for await (const statement of readRecords(store, data.train, statementSchema)) {
    if (best.has(statement.id)) proved++;
    if (seedIds.has(statement.id)) weights.set(statement.id, matchingWeight(config.data.weights, statement, round));
  }
  const random = randomStream(config.seed, round, 'seeds');
  const inputs = conjectureInputs(chosen, data.train.count, seeding, random);
  const entries = inputs.map(({ seed, lemma }): PlanEntry => {
    const origin: ConjectureOrigin = {
      kind: 'seed',
      lemmaStatement: lemma === null ? null : lemmas.get(lemma)!,
      easyStatement: seed.statement,
      easyProof: seed.proof,
    };
    const weight = weights.get(seed.statementId) ?? 1;
    return { seedId: seed.statementId, header: seed.header, lemma, origin, weight };
  });
  return repeated(entries, input, proved, random);
}

/** Plans inputs with the dataset's unproved statements as targets (SGS). */
async function targetPlan(store: ObjectStore, input: RoundContext): Promise<PlanEntry[]> {
  const { round, config, data } = input;
  const manifests = await readManifests(store, input.history);
  const best = await bestRates(store, manifests);
  const entries: PlanEntry[] = [];
  let proved = 0;
  for await (const statement of readRecords(store, data.train, statementSchema)) {
    if (best.has(statement.id)) {
      proved++;
      continue;
    }
    const origin: ConjectureOrigin = { kind: 'target', targetStatement: statement.statement };
    const weight = matchingWeight(config.data.weights, statement, round);
    entries.push({ seedId: statement.id, header: statement.header, lemma: null, origin, weight });
  }
  const random = randomStream(config.seed, round, 'targets');
  return repeated(entries, input, proved, random);
}
