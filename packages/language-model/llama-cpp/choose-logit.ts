/**
 * Chooses a token as the embedded engine does (temperature, then nucleus, one uniform number), from logits that cost something
 * to get: the likeliest come first, and more are asked for only when the choice may fall on them.
 */

import type { ChosenToken } from '../embedded/sampling/growing-sample.ts';
import type { SamplingOptions } from '../generator.ts';

export interface Logit {
  readonly id: number;
  readonly logit: number;
}

/** The logits at one place. */
export interface LogitSource {
  /** Values of the vocabulary. */
  readonly size: number;
  /** The token that is never chosen, or null. */
  readonly neverId: number | null;
  /** The likeliest tokens that may be chosen, falling; fewer than asked for when no others may. */
  likeliest(count: number): Promise<readonly Logit[]>;
  /** The highest logit of all, and the sum of exp((logit − highest) / temperature) over all. */
  weight(temperature: number): Promise<{ readonly highest: number; readonly total: number }>;
}

/** Enough for nearly every choice; asking for them costs little. */
const LIST_SIZE = 256;
const LIST_GROWTH = 16;

export interface Choice {
  /** Null where no token may be chosen. */
  readonly chosen: ChosenToken | null;
  /** The likeliest, as many as are wanted. */
  readonly top: readonly ChosenToken[];
}

/** `uniform` in [0, 1) decides; it is not used when the temperature is 0. */
export async function chooseLogit(
  source: LogitSource,
  { temperature, topP }: Pick<SamplingOptions, 'temperature' | 'topP'>,
  uniform: number,
  topsWanted: number,
): Promise<Choice> {
  const { highest, total } = await source.weight(1);
  const withLogprob = ({ id, logit }: Logit): ChosenToken => ({ id, logprob: logit - highest - Math.log(total) });
  // All that may be chosen weighs no more than all there is.
  const weighed = temperature === 0 || temperature === 1 ? total : (await source.weight(temperature)).total;
  for (let size = LIST_SIZE; ; size *= LIST_GROWTH) {
    const asked = Math.min(size, source.size);
    const listed = await source.likeliest(asked);
    const list = listed.filter(({ id }) => id !== source.neverId);
    const [first] = list;
    if (first === undefined) return { chosen: null, top: [] };
    const top = list.slice(0, topsWanted).map(withLogprob);
    if (temperature === 0) return { chosen: withLogprob(first), top };
    const isWhole = asked === source.size || listed.length < asked;
    const id = draw(list, isWhole ? null : weighed, { highest, temperature, topP, uniform });
    if (id !== null) return { chosen: withLogprob(id), top };
  }
}

/** Null where the choice may lie beyond the list, whose tokens and the others weigh `weighed` together. */
function draw(
  list: readonly Logit[],
  weighed: number | null,
  given: { readonly highest: number; readonly temperature: number; readonly topP: number; readonly uniform: number },
): Logit | null {
  const { highest, temperature, topP, uniform } = given;
  const weights = list.map(({ logit }) => Math.exp((logit - highest) / temperature));
  const listed = weights.reduce((sum, weight) => sum + weight, 0);
  const total = weighed ?? listed;
  if (topP < 1) {
    // The nucleus: the fewest of the likeliest that hold `topP` of the total.
    let kept = 0;
    let count = 0;
    while (count < list.length && kept < topP * total) kept += weights[count++]!;
    if (kept < topP * total && weighed !== null) return null;
    return at(uniform * kept, list.slice(0, count), weights) ?? list[count - 1]!;
  }
  return at(uniform * total, list, weights) ?? (weighed === null ? list.at(-1)! : null);
}

/** Where the sum of the weights exceeds the target; null where it never does. */
function at(target: number, list: readonly Logit[], weights: readonly number[]): Logit | null {
  let cumulative = 0;
  for (let index = 0; index < list.length; index++) {
    cumulative += weights[index]!;
    if (cumulative > target) return list[index]!;
  }
  return null;
}
