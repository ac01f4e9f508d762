/**
 * Chooses a token as the embedded engine does (temperature, then nucleus, one uniform number). Reading logits has a
 * cost, so the most likely ones are read first, and more only if the choice may fall on them.
 */

import type { ChosenToken } from '../embedded/sampling/growing-sample.ts';
import type { SamplingOptions } from '../generator.ts';

export interface Logit {
  readonly id: number;
  readonly logit: number;
}

/** The logits at one position. */
export interface LogitSource {
  /** Number of rows of the model's table of tokens. */
  readonly size: number;
  /** Whether any token may be forbidden. The weight of those that are allowed is then known only between two bounds. */
  readonly isRestricted: boolean;
  /** Returns false for a forbidden token, a padding token, and a row that belongs to no token. */
  isChoosable(id: number): boolean;
  /** Returns the most likely tokens, forbidden ones too, in descending order; fewer if the others are impossible. */
  likeliest(count: number): Promise<readonly Logit[]>;
  /** Returns all tokens that may be chosen, in descending order. Slow: reads the whole table of tokens. */
  allowed(): Promise<readonly Logit[]>;
  /** Returns the highest logit, and the sum of exp((logit − highest) / temperature) over all tokens. */
  weight(temperature: number): Promise<{ readonly highest: number; readonly total: number }>;
}

/** Enough tokens for nearly every choice, at little cost. */
const LIST_SIZE = 256;
/** Reading so many is cheaper than reading all. Comparing each of so many with a grammar is not. */
const LONG_LIST_SIZE = 4_096;

export interface Choice {
  /** Null if no token may be chosen. */
  readonly chosen: ChosenToken | null;
  /** The most likely tokens, as many as requested. */
  readonly top: readonly ChosenToken[];
}

/** Chooses by `uniform` in [0, 1), which is ignored at temperature 0. */
export async function chooseLogit(
  source: LogitSource,
  { temperature, topP }: Pick<SamplingOptions, 'temperature' | 'topP'>,
  uniform: number,
  topsWanted: number,
): Promise<Choice> {
  const { highest, total } = await source.weight(1);
  const withLogprob = ({ id, logit }: Logit): ChosenToken => ({ id, logprob: logit - highest - Math.log(total) });
  const answer = (chosen: Logit, list: readonly Logit[]): Choice => ({
    chosen: withLogprob(chosen),
    top: list.slice(0, topsWanted).map(withLogprob),
  });
  const all = temperature === 0 || temperature === 1 ? total : (await source.weight(temperature)).total;
  const weightOf = ({ logit }: Logit): number => Math.exp((logit - highest) / temperature);
  const sizes = source.isRestricted ? [LIST_SIZE] : [LIST_SIZE, LONG_LIST_SIZE];
  for (const size of sizes.filter((one) => one < source.size)) {
    const listed = await source.likeliest(size);
    const list = listed.filter(({ id }) => source.isChoosable(id));
    if (list.length < Math.max(1, topsWanted)) continue;
    if (temperature === 0) return answer(list[0]!, list);
    const weights = list.map(weightOf);
    const allowed = sum(weights);
    const unlisted = Math.max(0, all - sum(listed.map(weightOf)));
    const bounds = [source.isRestricted ? allowed : allowed + unlisted, allowed + unlisted] as const;
    const chosen = drawFromPart(list, weights, bounds, topP, uniform);
    if (chosen !== null) return answer(chosen, list);
  }
  const list = await source.allowed();
  const [first] = list;
  if (first === undefined) return { chosen: null, top: [] };
  if (temperature === 0) return answer(first, list);
  // Only ratios matter here. The likeliest of all tokens may be so far above all allowed ones that these weigh 0 beside it.
  const weights = list.map(({ logit }) => Math.exp((logit - first.logit) / temperature));
  return answer(drawFromAll(list, weights, topP, uniform), list);
}

/**
 * Returns null if the choice is not certain: it may lie beyond the list, or depends on how much weight the allowed
 * tokens beyond the list have. Example: the list has 5 and 4 of a total between 9 and 10. The number 0.49 falls on the
 * first token whether the total is 9 (at 4.41) or 10 (at 4.9). The number 0.52 falls on the first one at 4.68, and on
 * the second one at 5.2.
 * @param bounds least and greatest weight of all tokens that may be chosen
 */
function drawFromPart(
  list: readonly Logit[],
  weights: readonly number[],
  bounds: readonly [number, number],
  topP: number,
  uniform: number,
): Logit | null {
  const [least, greatest] = bounds;
  if (topP < 1) {
    const count = nucleusSize(weights, topP * least);
    return count === null || count !== nucleusSize(weights, topP * greatest)
      ? null
      : drawFromAll(list.slice(0, count), weights.slice(0, count), 1, uniform);
  }
  const found = at(uniform * least, list, weights);
  return found === at(uniform * greatest, list, weights) ? found : null;
}

function drawFromAll(list: readonly Logit[], weights: readonly number[], topP: number, uniform: number): Logit {
  const count = topP < 1 ? (nucleusSize(weights, topP * sum(weights)) ?? list.length) : list.length;
  return at(uniform * sum(weights.slice(0, count)), list, weights) ?? list[count - 1]!;
}

/**
 * Returns the size of the nucleus, the smallest set of most likely tokens that reaches the target; null if all together
 * do not.
 */
function nucleusSize(weights: readonly number[], target: number): number | null {
  let kept = 0;
  for (let count = 0; count < weights.length; count++) {
    if (kept >= target) return count;
    kept += weights[count]!;
  }
  return kept >= target ? weights.length : null;
}

const sum = (weights: readonly number[]): number => weights.reduce((total, weight) => total + weight, 0);

/** Returns the token at which the cumulative weight exceeds the target; null if it never does. */
function at(target: number, list: readonly Logit[], weights: readonly number[]): Logit | null {
  let cumulative = 0;
  for (let index = 0; index < list.length; index++) {
    cumulative += weights[index]!;
    if (cumulative > target) return list[index]!;
  }
  return null;
}
