/**
 * Estimates the chance that an action proves a statement, from tries that proved something and tries that did not. A logistic
 * regression over hashed features, trained by AdaGrad (Duchi, Hazan and Singer 2011). ActionFeatures are parts of the action, constants of the
 * statement, each pair of the two, and how many actions like it have failed on the statement: where `simp_all` has failed, `grind` is
 * worth more than `simp`. It is deterministic: the same tries in the same order give the same weights, bit for bit.
 */
import { randomStream } from '../random.ts';

/** Weights; a power of two, so that a hash is a place. */
const PLACES = 2 ** 17;
const RATE = 0.1;
const PASSES = 4;
/** Added to the sums of squares, so that the first steps are not the largest. */
const DAMPING = 1;
/** By how much less a proof is to be expected, the further an action stands from the beginning of the fixed order. */
const [PRIOR_RATE, PRIOR_START_MS] = [0.1, 10];
/** Tokens of a statement that are paired with an action's parts: a long statement has no more say than a short one. */
const TOKENS_MAX = 24;
/** Parts of an action that say its kind: how it begins, how it ends, what it names. */
export const KIND_PARTS = 3;

/** What a ranker knows of a statement and an action: places of weights. */
export type ActionFeatures = Uint32Array;

export interface Try {
  /** `fixedPrior`. */
  readonly prior: number;
  /** `actionFeatures`. */
  readonly features: ActionFeatures;
  /** `Failures.features`, before the try. */
  readonly after: ActionFeatures;
  readonly proved: boolean;
}

export class ActionRanker {
  readonly #weights: Float32Array;

  private constructor(weights: Float32Array) {
    this.#weights = weights;
  }

  /** Some passes over all tries, each in an order of its own. */
  static trained(tries: readonly Try[], seed: number): ActionRanker {
    const ranker = new ActionRanker(new Float32Array(PLACES));
    const squares = new Float32Array(PLACES);
    for (let pass = 0; pass < PASSES; pass++)
      for (const one of randomStream('action-ranker', seed, pass).shuffle(tries)) ranker.#step(one, squares);
    return ranker;
  }

  /** What `weights` gave. Throws where its length is another. */
  static of(weights: Uint8Array): ActionRanker {
    const floats = new Float32Array(PLACES);
    const bytes = new Uint8Array(floats.buffer);
    if (weights.length !== bytes.length) throw new Error(`a ranker has ${bytes.length} bytes, not ${weights.length}`);
    bytes.set(weights);
    return new ActionRanker(floats);
  }

  /** Weights as 32-bit floats. They rank; who wants to train further needs the tries. */
  weights(): Uint8Array {
    return new Uint8Array(this.#weights.buffer.slice(0));
  }

  /** In (0, 1). @param known the prior and the sum of the weights of features that do not change (`sum`) */
  chance(known: number, after: ActionFeatures): number {
    return 1 / (1 + Math.exp(-(known + this.sum(after))));
  }

  sum(features: ActionFeatures): number {
    let sum = 0;
    for (const place of features) sum += this.#weights[place]!;
    return sum;
  }

  #step({ prior, features, after, proved }: Try, squares: Float32Array): void {
    const slope = this.chance(prior + this.sum(features), after) - (proved ? 1 : 0);
    for (const places of [features, after])
      for (const place of places) {
        const square = squares[place]! + slope * slope;
        squares[place] = square;
        this.#weights[place]! -= (RATE * slope) / Math.sqrt(DAMPING + square);
      }
  }
}

/**
 * Log-odds of an action before anything is learned: chance over price falls with what stands before it in the fixed order, so a ranker
 * that has learned nothing keeps that order, and each statement gets the same.
 * @param before prices of the actions before it, ms
 */
export function fixedPrior(price: number, before: number): number {
  const chance = Math.min(0.5, (PRIOR_RATE * price) / (before + PRIOR_START_MS));
  return Math.log(chance / (1 - chance));
}

/** What a ranker knows of a statement. @param constants full names, those of its type first */
export const statementTokens = (statement: string, constants: readonly string[]): string[] => [
  `size:${Math.round(Math.log2(statement.length))}`,
  ...constants,
];

/**
 * @param tokens what the statement has: names of constants, its size
 * @param parts what the action is made of, its kind first
 */
export function actionFeatures(tokens: readonly string[], parts: readonly string[]): ActionFeatures {
  const [begins = 0, ends = 0, names = 0] = parts.slice(0, KIND_PARTS).map(hashed);
  const ofAction = [...parts.map(hashed), mixed(begins, ends), mixed(ends, names), mixed(mixed(begins, ends), names)];
  const places = new Set(ofAction.map(placed));
  for (const token of tokens.slice(0, TOKENS_MAX).map(hashed)) {
    places.add(placed(token));
    for (const part of ofAction) places.add(placed(mixed(part, token)));
  }
  return Uint32Array.from(places);
}

/** How many actions have failed on a statement, all and by the parts of their kind. */
export class Failures {
  #total = 0;
  readonly #counts = new Map<string, number>();

  add(parts: readonly string[]): void {
    this.#total++;
    for (const part of kindOf(parts)) this.#counts.set(part, (this.#counts.get(part) ?? 0) + 1);
  }

  /** For an action that is tried now. */
  features(parts: readonly string[]): ActionFeatures {
    const kind = kindOf(parts);
    const [begins, ends, names] = kind.map(hashed);
    const all = scale(this.#total);
    const like = kind.map((part) => scale(this.#counts.get(part) ?? 0));
    const seeds = [
      mixed(ALL, all),
      ...like.map((count, place) => mixed(mixed(LIKE, place), count)),
      ...[begins, ends, names].map((part, place) => mixed(mixed(part!, LIKE), like[place]!)),
      mixed(mixed(begins!, ends!), all),
    ];
    return Uint32Array.from(seeds, placed);
  }
}

const [ALL, LIKE] = [0x51ed27, 0x7f4a7c];
const kindOf = (parts: readonly string[]): readonly string[] => parts.slice(0, KIND_PARTS);
/** 0, 1, 2, 3 to 4, 5 to 8, … */
const scale = (count: number): number => (count === 0 ? 0 : 1 + Math.ceil(Math.log2(count)));
const placed = (value: number): number => value & (PLACES - 1);

const hashes = new Map<string, number>();
/** FNV-1a, 32 bits; remembered, since few texts come often. */
function hashed(text: string): number {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  const found = mixed(value >>> 0, 1);
  if (hashes.size < HASHES_MAX) hashes.set(text, found);
  return found;
}
const HASHES_MAX = 100_000;

/** Finaliser of MurmurHash3 over both numbers. */
function mixed(one: number, other: number): number {
  let value = one ^ Math.imul(other, 0x9e3779b1);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
