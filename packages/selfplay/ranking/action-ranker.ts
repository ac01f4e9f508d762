/**
 * Estimates the chance that an action proves a statement, from tries that proved something and tries that did not. A logistic
 * regression over hashed features, trained by AdaGrad (Duchi, Hazan and Singer 2011): parts of the action, constants of the statement,
 * and each pair of the two. It is deterministic: the same tries in the same order give the same weights, bit for bit.
 */

import { randomStream } from '../random.ts';

/** Weights; a power of two, so that a hash is a place. */
const PLACES = 2 ** 17;
const RATE = 0.1;
const PASSES = 4;
/** Added to the sums of squares, so that the first steps are not the largest. */
const DAMPING = 1;
/** Chance that a weight of 0 everywhere stands for: few actions prove anything. */
const PRIOR = Math.log(0.02 / 0.98);
/** Tokens of a statement that are paired with an action's parts: a long statement has no more say than a short one. */
const TOKENS_MAX = 24;

/** What a ranker knows of a statement and an action: places of weights, without repeats. */
export type Features = Uint32Array;

export interface Try {
  readonly features: Features;
  readonly proved: boolean;
}

export class ActionRanker {
  readonly #weights: Float32Array;
  readonly #squares: Float32Array;

  private constructor(weights: Float32Array, squares: Float32Array) {
    this.#weights = weights;
    this.#squares = squares;
  }

  static untrained(): ActionRanker {
    return new ActionRanker(new Float32Array(PLACES), new Float32Array(PLACES));
  }

  /** Passes over all tries, each in an order of its own. */
  static trained(tries: readonly Try[], seed: number): ActionRanker {
    const ranker = ActionRanker.untrained();
    for (let pass = 0; pass < PASSES; pass++) ranker.learn(randomStream('action-ranker', seed, pass).shuffle(tries));
    return ranker;
  }

  /** What `weights` gave. Throws where its length is another. */
  static of(weights: Uint8Array): ActionRanker {
    const floats = new Float32Array(PLACES);
    const bytes = new Uint8Array(floats.buffer);
    if (weights.length !== bytes.length) throw new Error(`a ranker has ${bytes.length} bytes, not ${weights.length}`);
    bytes.set(weights);
    return new ActionRanker(floats, new Float32Array(PLACES));
  }

  /** Weights as 32-bit floats. They rank; to learn on from them needs the tries. */
  weights(): Uint8Array {
    return new Uint8Array(this.#weights.buffer.slice(0));
  }

  /** In (0, 1). */
  chance(features: Features): number {
    let sum = PRIOR;
    for (const place of features) sum += this.#weights[place]!;
    return 1 / (1 + Math.exp(-sum));
  }

  /** A step for each try, in their order. */
  learn(tries: Iterable<Try>): void {
    for (const { features, proved } of tries) {
      const slope = this.chance(features) - (proved ? 1 : 0);
      for (const place of features) {
        const square = this.#squares[place]! + slope * slope;
        this.#squares[place] = square;
        this.#weights[place]! -= (RATE * slope) / Math.sqrt(DAMPING + square);
      }
    }
  }
}

/** What a ranker knows of a statement. @param constants full names, those of its type first */
export const statementTokens = (statement: string, constants: readonly string[]): string[] => [
  `size:${Math.round(Math.log2(statement.length))}`,
  ...constants,
];

/**
 * @param tokens what the statement has: names of constants, its size
 * @param parts what the action is made of; its first three are also taken together
 */
export function rankerFeatures(tokens: readonly string[], parts: readonly string[]): Features {
  const kinds = parts.slice(0, 3).map(hashed);
  const [begins = 0, ends = 0, names = 0] = kinds;
  const kind = mixed(mixed(begins, ends), names);
  const ofAction = [...parts.map(hashed), mixed(begins, ends), mixed(ends, names), kind];
  const ofStatement = tokens.slice(0, TOKENS_MAX).map(hashed);
  const places = new Set<number>();
  for (const part of ofAction) places.add(part & (PLACES - 1));
  for (const token of ofStatement) {
    places.add(token & (PLACES - 1));
    for (const part of ofAction) places.add(mixed(part, token) & (PLACES - 1));
  }
  return Uint32Array.from(places);
}

/** FNV-1a, 32 bits. */
function hashed(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return mixed(value >>> 0, 1);
}

/** Finaliser of MurmurHash3 over both numbers. */
function mixed(one: number, other: number): number {
  let value = one ^ Math.imul(other, 0x9e3779b1);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
