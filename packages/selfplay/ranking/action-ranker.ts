/**
 * Estimates the probability that an action proves a statement, from earlier tries. A logistic regression over hashed
 * features, trained by AdaGrad (Duchi, Hazan and Singer 2011). Features are parts of the action, constants of the
 * statement, and their pairs. Deterministic: the same tries in the same order give the same weights, bit for bit.
 */
import { randomStream } from '../random.ts';

/** Number of weights; a power of two, so the low bits of a hash are an index. */
const WEIGHTS = 2 ** 17;
const RATE = 0.1;
const PASSES = 4;
/** Added to the sums of squares, so that the first steps are not the largest. */
const DAMPING = 1;
/** Prior: a proof becomes less likely, the later an action comes in the fixed order. */
const [PRIOR_RATE, PRIOR_START_MS] = [0.1, 10];
/**
 * Most constants of a statement that are paired with an action's parts, so a long statement does not count more than a
 * short one.
 */
const CONSTANTS_MAX = 23;
/** Number of an action's parts that describe its kind: beginning, end, names. */
export const KIND_PARTS = 3;

/** Features of a statement and an action: indices of weights. */
export type ActionFeatures = Uint32Array;

export interface Try {
  /** Value of `fixedPrior`. */
  readonly prior: number;
  /** Value of `actionFeatures`. */
  readonly features: ActionFeatures;
  readonly proved: boolean;
}

export class ActionRanker {
  readonly #weights: Float32Array;

  private constructor(weights: Float32Array) {
    this.#weights = weights;
  }

  /** Trains by several passes over all tries, each in a different order. */
  static trained(tries: readonly Try[], seed: number): ActionRanker {
    const ranker = new ActionRanker(new Float32Array(WEIGHTS));
    const squares = new Float32Array(WEIGHTS);
    for (let pass = 0; pass < PASSES; pass++)
      for (const one of randomStream('action-ranker', seed, pass).shuffle(tries)) ranker.#step(one, squares);
    return ranker;
  }

  /** Restores a ranker from `weights`. Throws for a wrong length. */
  static of(weights: Uint8Array): ActionRanker {
    const floats = new Float32Array(WEIGHTS);
    const bytes = new Uint8Array(floats.buffer);
    if (weights.length !== bytes.length) throw new Error(`a ranker has ${bytes.length} bytes, not ${weights.length}`);
    bytes.set(weights);
    return new ActionRanker(floats);
  }

  /** Returns the weights as 32-bit floats. They suffice to rank; further training needs the tries. */
  weights(): Uint8Array {
    return new Uint8Array(this.#weights.buffer.slice(0));
  }

  /**
   * Returns a probability in (0, 1).
   *
   * @param prior value of `fixedPrior`
   */
  chance(prior: number, features: ActionFeatures): number {
    let sum = prior;
    for (const index of features) sum += this.#weights[index]!;
    return 1 / (1 + Math.exp(-sum));
  }

  #step({ prior, features, proved }: Try, squares: Float32Array): void {
    const slope = this.chance(prior, features) - (proved ? 1 : 0);
    for (const index of features) {
      const square = squares[index]! + slope * slope;
      squares[index] = square;
      this.#weights[index]! -= (RATE * slope) / Math.sqrt(DAMPING + square);
    }
  }
}

/**
 * Returns the log-odds of an action before any training. Probability over price falls with the prices before it in the
 * fixed order, so an untrained ranker keeps that order, equally for each statement.
 *
 * @param before sum of the prices of the actions before it, ms
 */
export function fixedPrior(price: number, before: number): number {
  const chance = Math.min(0.5, (PRIOR_RATE * price) / (before + PRIOR_START_MS));
  return Math.log(chance / (1 - chance));
}

/**
 * Returns a statement's tokens for a ranker.
 *
 * @param constants full names, those of its type first
 */
export const statementTokens = (statement: string, constants: readonly string[]): string[] => [
  `size:${Math.round(Math.log2(statement.length))}`,
  ...constants.slice(0, CONSTANTS_MAX),
];

/**
 * @param tokens the statement's tokens: names of constants, its size
 * @param parts parts of the action, those of its kind first
 */
export function actionFeatures(tokens: readonly string[], parts: readonly string[]): ActionFeatures {
  const [begins = 0, ends = 0, names = 0] = parts.slice(0, KIND_PARTS).map(hashed);
  const ofAction = [...parts.map(hashed), mixed(begins, ends), mixed(ends, names), mixed(mixed(begins, ends), names)];
  const indices = new Set(ofAction.map(indexOf));
  for (const token of tokens.map(hashed)) {
    indices.add(indexOf(token));
    for (const part of ofAction) indices.add(indexOf(mixed(part, token)));
  }
  return Uint32Array.from(indices);
}

const indexOf = (hash: number): number => hash & (WEIGHTS - 1);

const hashes = new Map<string, number>();
/** FNV-1a, 32 bits; cached, since few texts recur often. */
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
