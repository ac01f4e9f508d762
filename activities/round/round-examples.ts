/**
 * Builds the training set of a round: proofs of the replay window and chosen conjectures, without repeats and shuffled.
 * It streams; memory holds only ids and numbers.
 */
import type { RunConfig } from '@stp/config';
import {
  type ArtifactRef,
  type Example,
  type ObjectStore,
  type Proved,
  provedSchema,
  type RoundManifest,
  rateSchema,
} from '@stp/config/records';
import { exampleKey, type ProofExamples, proofKey, proverExamples, RateTable, trainsProver } from '@stp/selfplay';
import { conjecturerFormOf } from '../prover-forms.ts';
import { externalSort, firstOfEach, groupSorted } from '../records/external-sort.ts';
import { readRecords } from '../records/record-files.ts';
import { bestRates } from '../run/history.ts';
import { type ChosenRecord, chosenConjectureSchema } from './chosen-conjectures.ts';
import { conjectureRecordSchema } from './conjecture-records.ts';

export interface RoundExamplesInput {
  readonly store: ObjectStore;
  readonly config: RunConfig;
  readonly round: number;
  readonly examplesOf: ProofExamples;
  /** Local folder for sorting. */
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly rates: ArtifactRef;
  /** Certified proofs of the round. */
  readonly proved: ArtifactRef;
  /** Manifests of the replayed rounds, newest first. */
  readonly window: readonly RoundManifest[];
  /** Files that contain the chosen conjectures. */
  readonly conjectures: readonly ArtifactRef[];
  readonly chosen: ArtifactRef | null;
}

export interface RoundExamples {
  /** Examples, to be read once and to the end. */
  readonly examples: AsyncGenerator<Example>;
  /** Complete after `examples` has ended. */
  readonly counts: { prover: number; conjecturer: number };
}

export function roundExamples(input: RoundExamplesInput): RoundExamples {
  const { config, round, directory, signal } = input;
  const counts = { prover: 0, conjecturer: 0 };
  const key = (example: Example): string => exampleKey(example, config.seed, round, 'examples');
  // If both roles give the same example, the proof's comes first and is kept (docs/algorithm.md, section 7).
  async function* all(): AsyncGenerator<Example> {
    yield* windowExamples(input);
    yield* conjecturerExamples(input);
  }
  async function* own(): AsyncGenerator<Example> {
    for await (const example of firstOfEach(externalSort(all(), { key, directory, signal }), key)) {
      counts[example.role]++;
      yield example;
    }
  }
  return { examples: own(), counts };
}

/** Yields examples of the chosen conjectures, in the order of the conjectures' files. */
export async function* conjecturerExamples(
  input: Pick<RoundExamplesInput, 'store' | 'config' | 'conjectures' | 'chosen'>,
): AsyncGenerator<Example> {
  const { store, conjectures, chosen } = input;
  const { exampleOf } = conjecturerFormOf(input.config.prover);
  if (chosen === null) return;
  const byId = new Map<string, Omit<ChosenRecord, 'text'>>();
  for await (const { id, withLemma, weight } of readRecords(store, chosen, chosenConjectureSchema))
    byId.set(id, { id, withLemma, weight });
  for (const file of conjectures)
    for await (const { id, header, origin, statement, typed } of readRecords(store, file, conjectureRecordSchema)) {
      const choice = byId.get(id);
      if (choice === undefined || !byId.delete(id)) continue;
      if (typed !== undefined) yield { ...typed, weight: choice.weight, role: 'conjecturer' };
      else yield exampleOf({ header, origin }, choice.withLemma, statement, choice.weight);
    }
}

/** Yields prover examples of the window, grouped by statement. */
async function* windowExamples(input: RoundExamplesInput): AsyncGenerator<Example> {
  const { store, config, round, directory, signal } = input;
  const rates = await windowRates(input);
  async function* proofs(): AsyncGenerator<Proved> {
    for (const ref of [input.proved, ...input.window.map((manifest) => manifest.proved)])
      for await (const proof of readRecords(store, ref, provedSchema))
        if (trainsProver(rates.get(proof.statementId), config.selection)) yield proof;
  }
  const key = (proof: Proved): string => proofKey(proof, config.seed, round, 'proofs');
  for await (const group of groupSorted(
    externalSort(proofs(), { key, directory, signal }),
    (proof) => proof.statementId,
  ))
    yield* proverExamples(group, config.selection, input.examplesOf);
}

/**
 * Returns attempts and successes over the window of statements with a certified proof in it; no other statement gives
 * an example.
 */
async function windowRates(input: RoundExamplesInput): Promise<RateTable> {
  const { store } = input;
  const proved = await bestRates(store, [input, ...input.window]);
  const rates = new RateTable();
  for (const ref of [input.rates, ...input.window.map((manifest) => manifest.rates)])
    for await (const rate of readRecords(store, ref, rateSchema))
      if (proved.has(rate.statementId)) rates.add(rate.statementId, rate);
  return rates;
}
