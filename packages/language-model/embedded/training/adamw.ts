/**
 * AdamW (Loshchilov and Hutter 2019) in the graph: clipping by the global norm, bias-corrected moments, decoupled
 * weight decay scaled by the learning rate. Factors that depend only on the step are computed outside, in double
 * precision.
 */
import type { Graph, Value } from '../onnx/graph.ts';
import {
  add,
  divide,
  maximum,
  multiply,
  squareRoot,
  subtract,
  sum,
  sumOfSquares,
} from '../onnx/operations/arithmetic.ts';

/** STP's decay rates of the moments (Levanter's default for language models). */
const FIRST_DECAY = 0.9;
const SECOND_DECAY = 0.95;
/** Kingma and Ba's value. STP's 1e-5 is for far larger models; here it would dominate the small gradients. */
const EPSILON = 1e-8;

/** The factors of one optimizer step. */
export interface StepFactors {
  /** Learning rate with the moments' bias corrections. */
  readonly rate: number;
  /** Epsilon with the second moment's bias correction. */
  readonly epsilon: number;
  /** Factor that weight decay leaves of a weight. */
  readonly kept: number;
}

/** Returns the factors of a step; steps count from 1. */
export function stepFactors(step: number, learningRate: number, weightDecay: number): StepFactors {
  // rate · m̂ / (√v̂ + ε) with m̂ = m / first and v̂ = v / second; √second is factored out.
  const first = 1 - FIRST_DECAY ** step;
  const root = Math.sqrt(1 - SECOND_DECAY ** step);
  return { rate: (learningRate * root) / first, epsilon: EPSILON * root, kept: 1 - learningRate * weightDecay };
}

/** Returns the square root of the sum of squares over all gradients. */
export function globalNorm(gradients: readonly Value[]): Value {
  return squareRoot(sum(gradients.map(sumOfSquares)));
}

/**
 * Adds the factor that reduces a gradient of this norm to a norm of at most `normMax`. The factor is 1 if `normMax` is
 * 0 (no clipping).
 */
export function clipScale(graph: Graph, norm: Value, normMax: number): Value {
  if (normMax === 0) return graph.scalar(1);
  return divide(graph.scalar(normMax), maximum(norm, graph.scalar(normMax)));
}

export interface WeightState {
  readonly weight: Value;
  readonly firstMoment: Value;
  readonly secondMoment: Value;
}

/** Returns a weight after one step. `factors` are scalars; `kept` is omitted for a weight without decay. */
export function updated(
  { weight, firstMoment, secondMoment }: WeightState,
  gradient: Value,
  factors: { readonly scale: Value; readonly rate: Value; readonly epsilon: Value; readonly kept: Value | null },
): WeightState {
  const { graph } = gradient;
  const slope = multiply(gradient, factors.scale);
  const first = add(multiply(firstMoment, graph.scalar(FIRST_DECAY)), multiply(slope, graph.scalar(1 - FIRST_DECAY)));
  const second = add(
    multiply(secondMoment, graph.scalar(SECOND_DECAY)),
    multiply(multiply(slope, slope), graph.scalar(1 - SECOND_DECAY)),
  );
  const change = multiply(divide(first, add(squareRoot(second), factors.epsilon)), factors.rate);
  const kept = factors.kept === null ? weight : multiply(weight, factors.kept);
  return { weight: subtract(kept, change), firstMoment: first, secondMoment: second };
}
