/**
 * Ranks what a round may conjecture by how likely later proofs are to rest on it. The ranker is learned anew in each round: from what
 * came of conjectures about the library's functions (`data/sft/conjectures.jsonl`), and from those of the run's earlier rounds.
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
 * Places that go first to what the model wrote beyond exploration, as a share of all. Nothing tells what such a conjecture is worth
 * until some were attempted.
 */
const WRITTEN_SHARE = 0.25;
/** An example of the run's own counts as so many of the library's: its functions and its scripts are the same. */
const OWN_WEIGHT = 2;

export interface RankedConjectures {
  /** All of them, in the order in which they are to be gated, with who chose each. */
  readonly conjectures: readonly ConjectureRecord[];
  readonly ranker: RankerFigures;
}

/**
 * Orders new conjectures: of each stretch of the order, the given share is what the ranker puts first of all that are left, the
 * rest comes in the order given. The ranker's own list begins with a few that the model wrote. Without examples all keep their order.
 *
 * @param conjectures in exploration's order, at most a few for each place of the round
 * @param places conjectures that the round may attempt
 */
export async function rankConjectures(
  store: ObjectStore,
  input: RoundContext,
  conjectures: readonly ConjectureRecord[],
  share: number,
  places: number,
): Promise<RankedConjectures> {
  const examples = await rankerExamples(store, input);
  const paying = examples.filter(({ pays }) => pays).length;
  const ranker = { examples: examples.length, paying };
  const weights = trainRanker(examples);
  if (weights.size === 0 || conjectures.length <= places) return { conjectures, ranker };
  const featuresOf = featureReader();
  const scored = conjectures.map((conjecture) => ({
    conjecture,
    score: rankerScore(featuresOf(anchorOf(conjecture), conjecture), weights),
  }));
  const byScore = scored.toSorted((a, b) => b.score - a.score).map(({ conjecture }) => conjecture);
  const written = byScore.filter(({ found }) => found === undefined);
  const ranked = [...new Set([...written.slice(0, WRITTEN_SHARE * places), ...byScore])];
  return { conjectures: mixed(ranked, conjectures, share), ranker };
}

/** Takes from both lists in turn, so that at each point at least that share is of the first. */
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

/** Ids of the statements whose lemmas the proofs of the rounds rest on. */
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
