/**
 * Estimates the probability that an action proves a statement, from earlier tries. A logistic regression over hashed
 * features, trained by AdaGrad (Duchi, Hazan and Singer 2011); the weights are the mean over all steps (Polyak and
 * Juditsky 1992). Features are parts of the action, tokens of the statement, and their pairs, most of which occur in few
 * tries. Without the mean, and with larger steps, they were learned by heart, and modules without tries gained nothing
 * (docs/log.md). Deterministic: the same tries in the same order give the same weights, bit for bit.
 */
import { randomStream } from '../random.ts';

/** Number of weights; a power of two, so the low bits of a hash are an index. */
const WEIGHTS = 2 ** 17;
const RATE = 0.05;
const PASSES = 4;
/** Added to the sums of squares, so that the first steps are not the largest. */
const DAMPING = 1;
/** Prior: a proof becomes less likely, the later an action comes in the fixed order. */
const [PRIOR_RATE, PRIOR_START_MS] = [0.1, 10];
/** Number of an action's parts that describe its kind: beginning, end, names. */
const KIND_PARTS = 3;

/** Describes an action on a statement by hashes. A ranker has a weight for each and for each pair. */
export interface ActionFeatures {
  /** Value of `fixedPrior`. */
  readonly prior: number;
  readonly tokens: Uint32Array;
  readonly parts: Uint32Array;
}

export interface Try extends ActionFeatures {
  readonly proved: boolean;
}

export class ActionRanker {
  readonly #weights: Float32Array;
  /** Indices of the weights of one try; kept, because allocating them takes longer than the arithmetic. */
  #indices = new Uint32Array(1_024);

  private constructor(weights: Float32Array) {
    this.#weights = weights;
  }

  /**
   * Trains by several passes over all tries, each in a different order.
   *
   * @param from ranker whose weights it starts from, trained on other tries; null: all weights are 0
   */
  static trained(tries: readonly Try[], seed: number, from: ActionRanker | null = null): ActionRanker {
    const ranker = new ActionRanker(from === null ? new Float32Array(WEIGHTS) : from.#weights.slice());
    const squares = new Float32Array(WEIGHTS);
    // Sums of changes, each times the number of steps before it: of so many steps the mean lacks the change.
    const missing = new Float64Array(WEIGHTS);
    let steps = 0;
    for (let pass = 0; pass < PASSES; pass++)
      for (const one of randomStream('action-ranker', seed, pass).shuffle(tries))
        ranker.#step(one, squares, missing, steps++);
    if (steps > 0)
      missing.forEach((sum, index) => {
        ranker.#weights[index]! -= sum / steps;
      });
    return ranker;
  }

  /** Restores a ranker from `weights`. Throws for a wrong length, and for weights that are no numbers. */
  static of(weights: Uint8Array): ActionRanker {
    const floats = new Float32Array(WEIGHTS);
    const bytes = new Uint8Array(floats.buffer);
    if (weights.length !== bytes.length) throw new Error(`a ranker has ${bytes.length} bytes, not ${weights.length}`);
    bytes.set(weights);
    if (!floats.every(Number.isFinite)) throw new Error('not all weights of the ranker are numbers');
    return new ActionRanker(floats);
  }

  /** Returns the weights as 32-bit floats. They suffice to rank; further training needs the tries. */
  weights(): Uint8Array {
    return new Uint8Array(this.#weights.buffer.slice(0));
  }

  /** Returns the probability of a proof, in (0, 1). */
  chance(features: ActionFeatures): number {
    return this.#chanceAt(features.prior, this.#indicesOf(features));
  }

  #chanceAt(prior: number, indices: Uint32Array): number {
    let sum = prior;
    for (const index of indices) sum += this.#weights[index]!;
    return 1 / (1 + Math.exp(-sum));
  }

  #step(one: Try, squares: Float32Array, missing: Float64Array, stepsBefore: number): void {
    const indices = this.#indicesOf(one);
    const slope = this.#chanceAt(one.prior, indices) - (one.proved ? 1 : 0);
    for (const index of indices) {
      const square = squares[index]! + slope * slope;
      const change = (-RATE * slope) / Math.sqrt(DAMPING + square);
      squares[index] = square;
      this.#weights[index]! += change;
      missing[index]! += change * stepsBefore;
    }
  }

  /** The next call overwrites the result. */
  #indicesOf({ tokens, parts }: ActionFeatures): Uint32Array {
    const count = parts.length + tokens.length * (1 + parts.length);
    if (count > this.#indices.length) this.#indices = new Uint32Array(2 * count);
    let at = 0;
    const add = (hash: number): void => {
      this.#indices[at++] = hash & (WEIGHTS - 1);
    };
    for (const part of parts) add(part);
    for (const token of tokens) {
      add(token);
      for (const part of parts) add(mixed(part, token));
    }
    return this.#indices.subarray(0, at);
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

/** @param tokens distinct texts that describe the statement: names of its constants, its form */
export const hashedTokens = (tokens: readonly string[]): Uint32Array => Uint32Array.from(tokens, hashed);

/**
 * @param prior value of `fixedPrior`
 * @param tokens value of `hashedTokens`
 * @param parts distinct parts of the action, those of its kind first
 */
export function actionFeatures(prior: number, tokens: Uint32Array, parts: readonly string[]): ActionFeatures {
  const [begins = 0, ends = 0, names = 0] = parts.slice(0, KIND_PARTS).map(hashed);
  const pairs = [mixed(begins, ends), mixed(ends, names), mixed(mixed(begins, ends), names)];
  return { prior, tokens, parts: Uint32Array.from([...parts.map(hashed), ...pairs]) };
}

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
