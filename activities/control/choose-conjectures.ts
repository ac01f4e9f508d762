/**
 * Chooses the conjectures that train the conjecturer, and the statements that they are matched to. Joins rates, proofs
 * and conjectures by id in one pass each; only numbers stay in memory.
 */

import { hasConjecturer, rewardsUse } from '@stp/config';
import {
  type ArtifactRef,
  artifactRefSchema,
  type ObjectStore,
  provedSchema,
  rateSchema,
  statementSchema,
} from '@stp/config/records';
import {
  type ChosenConjecture,
  type ConjectureFacts,
  chooseConjectures,
  displayProof,
  displayStatement,
  matchingCount,
  matchingWeight,
  orderKey,
  RateTable,
} from '@stp/selfplay';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import type { RunScratch, RunStore } from '../ports.ts';
import { externalSort } from '../records/external-sort.ts';
import { once, readRecords, writeRecords } from '../records/record-files.ts';
import { type ChosenRecord, conjectureFiles } from '../round/chosen-conjectures.ts';
import { conjectureRecordSchema } from '../round/conjecture-records.ts';
import { lemmaCredit } from '../round/lemma-credit.ts';
import { grownTheorems } from '../round/library.ts';
import type { RoundContext } from '../round/round-context.ts';
import { bestRates, readManifests } from '../run/history.ts';

const chosenSchema = z.strictObject({ chosen: artifactRefSchema, targets: artifactRefSchema.nullable() });
export type Chosen = z.infer<typeof chosenSchema>;

export interface ChooseConjecturesInput extends RoundContext {
  readonly conjectures: ArtifactRef;
  readonly rates: ArtifactRef;
  /** Certified proofs of the round. */
  readonly proved: ArtifactRef;
}

export function chooseConjecturesActivity(ports: RunStore & RunScratch) {
  return {
    /**
     * `targets` is null if there is nothing to match: transport is off, no conjecture was chosen, or every statement is
     * proved.
     */
    async chooseConjectures(input: ChooseConjecturesInput): Promise<Chosen> {
      const { run, round, config } = input;
      const store = await ports.store(run);
      return once(store, `${input.name}/chosen.json`, chosenSchema, () =>
        withHeartbeat(async (signal) => {
          const { conjectures } = config;
          const order = (id: string): string => orderKey(config.seed, round, 'conjectures', id);
          const chosen = rewardsUse(conjectures)
            ? await usedConjectures(store, input)
            : hasConjecturer(conjectures)
              ? chooseConjectures(await conjectureFacts(store, input), conjectures, order)
              : [];
          const name = `${input.name}/chosen.jsonl`;
          const ref = await writeRecords(
            store,
            name,
            withTexts(store, input, chosen, await ports.scratch(run), signal),
            signal,
          );
          const matched = hasConjecturer(conjectures) && conjectures.transport !== null && chosen.length > 0;
          const targets = matched ? await writeTargets(ports, store, input, signal) : null;
          return { chosen: ref, targets: targets !== null && targets.count > 0 ? targets : null };
        }),
      );
    },
  };
}

/** Returns the library's conjectures that proofs of this round rest on. Weights are relative to the largest. */
async function usedConjectures(store: ObjectStore, input: ChooseConjecturesInput): Promise<ChosenConjecture[]> {
  const lemmas = await Array.fromAsync(grownTheorems(store, input.library));
  const credit = await lemmaCredit(lemmas, readRecords(store, input.proved, provedSchema));
  const conjectures = lemmas.filter(({ name, origin }) => origin === 'conjecture' && credit.has(name));
  const largest = conjectures.reduce((most, { name }) => Math.max(most, credit.get(name)!), 0);
  return conjectures
    .map(({ name, statementId }) => ({ id: statementId, withLemma: false, weight: credit.get(name)! / largest }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Reads the facts by which conjectures are chosen, for every conjecture of the round. */
async function conjectureFacts(store: ObjectStore, input: ChooseConjecturesInput): Promise<ConjectureFacts[]> {
  const rates = new RateTable();
  for await (const rate of readRecords(store, input.rates, rateSchema))
    if (rate.origin === 'conjecture') rates.add(rate.statementId, rate);
  const facts = new Map<string, ConjectureFacts>();
  for await (const conjecture of readRecords(store, input.conjectures, conjectureRecordSchema)) {
    const { id, lemma, statement } = conjecture;
    facts.set(id, {
      id,
      lemma,
      tally: rates.get(id) ?? { attempts: 0, successes: 0 },
      statementChars: displayStatement(statement).length,
      shortestProofChars: null,
      usesLemma: false,
    });
  }
  for await (const proof of readRecords(store, input.proved, provedSchema)) {
    const fact = facts.get(proof.statementId);
    if (fact === undefined) continue;
    const characters = displayProof(proof.proof).length;
    facts.set(fact.id, {
      ...fact,
      shortestProofChars: Math.min(fact.shortestProofChars ?? characters, characters),
      usesLemma: fact.usesLemma || (fact.lemma !== null && proof.premises.includes(fact.lemma)),
    });
  }
  return [...facts.values()];
}

async function* withTexts(
  store: ObjectStore,
  input: ChooseConjecturesInput,
  chosen: readonly ChosenConjecture[],
  directory: string,
  signal: AbortSignal,
): AsyncGenerator<ChosenRecord> {
  const byId = new Map(chosen.map((conjecture) => [conjecture.id, conjecture]));
  async function* texts(): AsyncGenerator<ChosenRecord> {
    const files = conjectureFiles(input.config, input.conjectures, await readManifests(store, input.history));
    for (const file of files)
      for await (const { id, statement } of readRecords(store, file, conjectureRecordSchema)) {
        const conjecture = byId.get(id);
        // A conjecture that was attempted in several rounds is in several files.
        if (conjecture !== undefined && byId.delete(id)) yield { ...conjecture, text: displayStatement(statement) };
      }
  }
  yield* externalSort(texts(), { key: ({ id }) => id, directory, signal });
}

/** Dataset statements without a certified proof in this round or any before it, shuffled. */
async function writeTargets(
  ports: RunScratch,
  store: ObjectStore,
  input: ChooseConjecturesInput,
  signal: AbortSignal,
): Promise<ArtifactRef> {
  const { run, round, config, data } = input;
  const proved = await bestRates(store, [input, ...(await readManifests(store, input.history))]);
  async function* unproved() {
    for await (const statement of readRecords(store, data.train, statementSchema)) {
      if (proved.has(statement.id)) continue;
      const count = matchingCount(matchingWeight(config.data.weights, statement, round));
      yield { id: statement.id, text: displayStatement(statement.statement), count };
    }
  }
  const key = ({ id }: { id: string }): string => orderKey(config.seed, round, 'targets', id);
  const sorted = externalSort(unproved(), { key, directory: await ports.scratch(run), signal });
  return writeRecords(store, `${input.name}/targets.jsonl`, sorted, signal);
}
