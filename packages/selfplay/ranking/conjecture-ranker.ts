/**
 * Estimates how likely a conjecture is to pay: a logistic regression over the features of earlier conjectures, fitted
 * by Newton's method.
 */
import type { ConjectureFeatures } from './conjecture-features.ts';

export interface RankerExample {
  readonly features: ConjectureFeatures;
  /** Did it pay? */
  readonly pays: boolean;
  /** Above 0. */
  readonly weight: number;
}

/** Weights by feature; empty if all examples have the same label. */
export type RankerWeights = ReadonlyMap<string, number>;

/** Ridge penalty: keeps weights near 0 if few examples support them. */
const RIDGE = 1;
/** Newton's method doubles the number of correct digits in each step. */
const STEPS_MAX = 25;
const SMALL_STEP = 1e-9;

/**
 * Fits the weights by ridge-penalised maximum likelihood. The same examples in the same order give the same weights,
 * bit for bit.
 */
export function trainRanker(examples: readonly RankerExample[]): RankerWeights {
  if (new Set(examples.map(({ pays }) => pays)).size < 2) return new Map();
  const names = [...new Set(examples.flatMap(({ features }) => [...features.keys()]))].sort();
  const indices = new Map(names.map((name, index) => [name, index]));
  const rows = examples.map(({ features, pays, weight }) => ({
    at: [...features].map(([name, value]): [number, number] => [indices.get(name)!, value]),
    pays: Number(pays),
    weight,
  }));
  const size = names.length;
  const weights = new Float64Array(size);
  for (let step = 0; step < STEPS_MAX; step++) {
    const gradient = Float64Array.from(weights, (weight) => RIDGE * weight);
    const curvature = Array.from({ length: size }, (_, index) => {
      const row = new Float64Array(size);
      row[index] = RIDGE;
      return row;
    });
    for (const { at, pays, weight } of rows) {
      const chance = 1 / (1 + Math.exp(-at.reduce((sum, [index, value]) => sum + weights[index]! * value, 0)));
      const bend = weight * chance * (1 - chance);
      for (const [index, value] of at) {
        gradient[index]! += weight * (chance - pays) * value;
        for (const [other, its] of at) curvature[index]![other]! += bend * value * its;
      }
    }
    const change = solved(curvature, gradient);
    for (let index = 0; index < size; index++) weights[index]! -= change[index]!;
    if (change.every((one) => Math.abs(one) < SMALL_STEP)) break;
  }
  return new Map(names.map((name, index) => [name, weights[index]!]));
}

/** Returns a score that grows with the probability of paying. */
export function rankerScore(features: ConjectureFeatures, weights: RankerWeights): number {
  let sum = 0;
  for (const [name, value] of features) sum += value * (weights.get(name) ?? 0);
  return sum;
}

/** Solves `matrix · x = right` for a positive definite matrix by Gaussian elimination; changes both arguments. */
function solved(matrix: readonly Float64Array[], right: Float64Array): Float64Array {
  const size = right.length;
  for (let pivot = 0; pivot < size; pivot++)
    for (let row = pivot + 1; row < size; row++) {
      const factor = matrix[row]![pivot]! / matrix[pivot]![pivot]!;
      if (factor === 0) continue;
      for (let column = pivot; column < size; column++) matrix[row]![column]! -= factor * matrix[pivot]![column]!;
      right[row]! -= factor * right[pivot]!;
    }
  for (let row = size - 1; row >= 0; row--) {
    for (let column = row + 1; column < size; column++) right[row]! -= matrix[row]![column]! * right[column]!;
    right[row]! /= matrix[row]![row]!;
  }
  return right;
}
