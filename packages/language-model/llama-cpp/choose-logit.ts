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
  /** Whether likely tokens may be forbidden. The choice then needs the weight of all that are allowed. */
  readonly isRestricted: boolean;
  /** Returns false for a forbidden token, a padding token, and a row that belongs to no token. */
  isChoosable(id: number): boolean;
  /** Returns the most likely allowed tokens in descending order; fewer than requested if no others are allowed. */
  likeliest(count: number): Promise<readonly Logit[]>;
  /** Returns the highest logit, and the sum of exp((logit − highest) / temperature) over all tokens. */
  weight(temperature: number): Promise<{ readonly highest: number; readonly total: number }>;
}

/** Enough tokens for nearly every choice, at little cost. */
const LIST_SIZE = 256;
const LIST_GROWTH = 16;

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
  // A list of all tokens needs no weight.
  const isWeighed = temperature === 0 || temperature === 1 || source.isRestricted;
  const all = isWeighed ? total : (await source.weight(temperature)).total;
  for (let size = source.isRestricted ? source.size : LIST_SIZE; ; size *= LIST_GROWTH) {
    const asked = Math.min(size, source.size);
    const listed = await source.likeliest(asked);
    const isWhole = asked === source.size || listed.length < asked;
    const list = listed.filter(({ id }) => source.isChoosable(id));
    const [first] = list;
    if (first === undefined && !isWhole) continue;
    if (first === undefined) return { chosen: null, top: [] };
    const top = list.slice(0, topsWanted).map(withLogprob);
    if (temperature === 0) return { chosen: withLogprob(first), top };
    // If all are listed, only ratios matter. The likeliest may be so far above all allowed tokens that these weigh 0.
    const base = isWhole ? first.logit : highest;
    const weightOf = ({ logit }: Logit): number => Math.exp((logit - base) / temperature);
    // The tokens that may be chosen weigh at most this much.
    const weighed = isWhole
      ? null
      : listed.reduce((weight, one) => (source.isChoosable(one.id) ? weight : weight - weightOf(one)), all);
    const chosen = draw(list, list.map(weightOf), weighed, topP, uniform);
    if (chosen !== null) return { chosen: withLogprob(chosen), top };
  }
}

/**
 * Returns null if the choice may lie beyond the list.
 * @param weighed the weight of all tokens that may be chosen; null if the list has them all
 */
function draw(
  list: readonly Logit[],
  weights: readonly number[],
  weighed: number | null,
  topP: number,
  uniform: number,
): Logit | null {
  const total = weighed ?? weights.reduce((sum, weight) => sum + weight, 0);
  if (topP < 1) {
    // The nucleus: the smallest set of most likely tokens that holds `topP` of the total.
    let kept = 0;
    let count = 0;
    while (count < list.length && kept < topP * total) kept += weights[count++]!;
    if (kept < topP * total && weighed !== null) return null;
    return at(uniform * kept, list.slice(0, count), weights) ?? list[count - 1]!;
  }
  return at(uniform * total, list, weights) ?? (weighed === null ? list.at(-1)! : null);
}

/** Returns the token at which the cumulative weight exceeds the target; null if it never does. */
function at(target: number, list: readonly Logit[], weights: readonly number[]): Logit | null {
  let cumulative = 0;
  for (let index = 0; index < list.length; index++) {
    cumulative += weights[index]!;
    if (cumulative > target) return list[index]!;
  }
  return null;
}
