/**
 * Ranks a round's candidate conjectures by how likely later proofs are to rest on them. Each round fits the ranker anew
 * to conjectures about the library's functions (`data/sft/conjectures.jsonl`) and to those of the run's earlier rounds.
 */

import {
  type ObjectStore,
  provedSchema,
  type RankerFigures,
  type RoundManifest,
  triedConjectureSchema,
} from '@stp/config/records';
import {
  type Beside,
  besideOf,
  type ConjectureFeatures,
  conjectureFeatures,
  type RankerExample,
  rankerScore,
  trainRanker,
} from '@stp/selfplay';
import { readRecords } from '../records/record-files.ts';
import { readManifests } from '../run/history.ts';
import { anchorOf, type ConjectureRecord, conjecturesOf } from './conjecture-records.ts';
import { lemmaCredit } from './lemma-credit.ts';
import { grownTheorems } from './library.ts';
import type { RoundContext } from './round-context.ts';

/**
 * Share of the ranker's conjectures that go first to texts that the model wrote beyond exploration. Their worth is
 * unknown until some were attempted.
 */
const WRITTEN_SHARE = 0.25;
/** Weight of an example of the run over one of the library: the run's functions and scripts are the same. */
const OWN_WEIGHT = 2;

export interface RankedConjectures {
  /** All conjectures in the order of the gate, each with what chose it. */
  readonly conjectures: readonly ConjectureRecord[];
  readonly ranker: RankerFigures;
}

/**
 * Orders new conjectures. In each stretch of the order, a given share is what the ranker puts first among all remaining
 * ones; the rest keeps the given order. The ranker's list begins with a few that the model wrote. Without examples all
 * keep their order.
 *
 * @param conjectures in exploration's order, at most a few times `attemptsMax`
 * @param attemptsMax number of conjectures that the round may attempt
 */
export async function rankConjectures(
  store: ObjectStore,
  input: RoundContext,
  conjectures: readonly ConjectureRecord[],
  share: number,
  attemptsMax: number,
): Promise<RankedConjectures> {
  const examples = await rankerExamples(store, input);
  const paying = examples.filter(({ pays }) => pays).length;
  const ranker = { examples: examples.length, paying };
  const weights = trainRanker(examples);
  if (weights.size === 0 || conjectures.length <= attemptsMax) return { conjectures, ranker };
  const featuresOf = featureReader();
  const scored = conjectures.map((conjecture) => ({
    conjecture,
    score: rankerScore(featuresOf(anchorOf(conjecture), conjecture), weights),
  }));
  const byScore = scored.toSorted((a, b) => b.score - a.score).map(({ conjecture }) => conjecture);
  const written = byScore.filter(({ found }) => found === undefined);
  const ranked = [...new Set([...written.slice(0, WRITTEN_SHARE * attemptsMax), ...byScore])];
  return { conjectures: mixed(ranked, conjectures, share), ranker };
}

/** Merges two lists so that at each point at least the given share comes from the first. */
export function mixed(
  ranked: readonly ConjectureRecord[],
  ordered: readonly ConjectureRecord[],
  share: number,
): ConjectureRecord[] {
  const taken = new Set<string>();
  const out: ConjectureRecord[] = [];
  const lists = { ranked: ranked.values(), order: ordered.values() };
  let byRank = 0;
  while (out.length < ordered.length) {
    const isRanked = byRank < share * (out.length + 1);
    const next = lists[isRanked ? 'ranked' : 'order'].find(({ id }) => !taken.has(id))!;
    if (isRanked) byRank++;
    taken.add(next.id);
    const chosenBy = isRanked ? (next.found === undefined ? 'written' : 'ranked') : 'order';
    out.push({ ...next, chosenBy });
  }
  return out;
}

function featureReader(): (target: string, tried: Pick<ConjectureRecord, 'statement' | 'found'>) => ConjectureFeatures {
  const besides = new Map<string, Beside>();
  return (target, { statement, found }) => {
    const beside = besides.get(target) ?? besideOf(target);
    besides.set(target, beside);
    return conjectureFeatures(statement, beside, found);
  };
}

async function rankerExamples(store: ObjectStore, { data, history }: RoundContext): Promise<RankerExample[]> {
  const featuresOf = featureReader();
  const examples: RankerExample[] = [];
  if (data.triedConjectures !== undefined)
    for await (const { target, pays, ...tried } of readRecords(store, data.triedConjectures, triedConjectureSchema))
      examples.push({ features: featuresOf(target, tried), pays, weight: 1 });
  const manifests = await readManifests(store, history);
  const credited = await creditedStatements(store, manifests);
  const own = new Map<string, RankerExample>();
  for await (const conjecture of conjecturesOf(store, manifests))
    own.set(conjecture.id, {
      features: featuresOf(anchorOf(conjecture), conjecture),
      pays: credited.has(conjecture.id),
      weight: OWN_WEIGHT,
    });
  return [...examples, ...own.values()];
}

/** Returns the ids of the statements whose lemmas the rounds' proofs rest on. */
export async function creditedStatements(
  store: ObjectStore,
  manifests: readonly RoundManifest[],
): Promise<Set<string>> {
  const lemmas = await Array.fromAsync(grownTheorems(store, manifests.at(-1)?.library ?? null));
  async function* proved() {
    for (const manifest of manifests) yield* readRecords(store, manifest.proved, provedSchema);
  }
  const credit = await lemmaCredit(lemmas, proved());
  return new Set(lemmas.flatMap(({ name, statementId }) => (credit.has(name) ? [statementId] : [])));
}
