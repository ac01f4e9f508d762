/**
 * Says how likely it is that a conjecture pays: a logistic regression over the features of those that did and those that did not.
 */
import type { Features } from './features.ts';

export interface RankerExample {
  readonly features: Features;
  /** Did it pay? */
  readonly pays: boolean;
  /** Above 0. */
  readonly weight: number;
}

/** Weights by feature; none where the examples do not differ in what they say. */
export type RankerWeights = ReadonlyMap<string, number>;

const PASSES = 40;
const RATE = 0.2;
/** Holds weights near 0 that few examples speak for. */
const RIDGE = 1e-3;

/** AdaGrad over the examples in their order, pass after pass: equal examples give equal weights, bit for bit. */
export function trainRanker(examples: readonly RankerExample[]): RankerWeights {
  if (new Set(examples.map(({ pays }) => pays)).size < 2) return new Map();
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  };
  const rows = examples.map(({ features, pays, weight }) => ({
    places: [...features.keys()].map(numberOf),
    values: [...features.values()],
    pays: Number(pays),
    weight,
  }));
  const weights = new Float64Array(numbers.size);
  const squares = new Float64Array(numbers.size).fill(1e-6);
  for (let pass = 0; pass < PASSES; pass++)
    for (const { places, values, pays, weight } of rows) {
      let sum = 0;
      for (const [at, place] of places.entries()) sum += weights[place]! * values[at]!;
      const error = weight * (1 / (1 + Math.exp(-sum)) - pays);
      for (const [at, place] of places.entries()) {
        const gradient = error * values[at]! + RIDGE * weights[place]!;
        squares[place]! += gradient * gradient;
        weights[place]! -= (RATE * gradient) / Math.sqrt(squares[place]!);
      }
    }
  return new Map([...numbers].map(([name, number]) => [name, weights[number]!]));
}

/** The larger, the likelier it is to pay. */
export function rankerScore(features: Features, weights: RankerWeights): number {
  let sum = 0;
  for (const [name, value] of features) sum += value * (weights.get(name) ?? 0);
  return sum;
}
