/** Gradients of softmax, log-softmax, RMS normalisation and rotary embedding. */
import { exponential, multiply, negate, reduceSum, subtract } from '../operations/arithmetic.ts';
import { rotary } from '../operations/transformer.ts';
import { type GradientRule, inputOf, outputOf, reduceToShape } from './rule.ts';

/** y (g - Σ g y) */
const softmaxRule: GradientRule = ({ node, outputGradient }) => {
  const output = outputOf(node);
  const mean = reduceSum(multiply(outputGradient, output), [-1], true);
  return [multiply(output, subtract(outputGradient, mean))];
};

/** g - softmax Σ g */
const logSoftmaxRule: GradientRule = ({ node, outputGradient }) => {
  const total = reduceSum(outputGradient, [-1], true);
  return [subtract(outputGradient, multiply(exponential(outputOf(node)), total))];
};

/**
 * Gradients of the root-mean-square norm. With r the inverse root mean square of a row, u = x r (normalised, before the
 * gain) and h = g·gain: by x: r (h - u · mean(h u)); by the gain: Σ over rows of g u.
 */
const rmsNormRule: GradientRule = ({ graph, node, outputGradient, wants }) => {
  const [value, gain] = [inputOf(node, 0), inputOf(node, 1)];
  const inverseRms = outputOf(node, 1);
  const normalised = multiply(value, inverseRms);
  const byValue = () => {
    const scaled = multiply(outputGradient, gain);
    const projection = reduceSum(multiply(scaled, normalised), [-1], true);
    const meanProjection = multiply(projection, graph.scalar(1 / Number(gain.shape[0])));
    return multiply(subtract(scaled, multiply(normalised, meanProjection)), inverseRms);
  };
  return [wants(0) ? byValue() : null, wants(1) ? reduceToShape(multiply(outputGradient, normalised), gain) : null];
};

/** The transpose of a rotation is its inverse: the same tables with the sines negated. */
const rotaryRule: GradientRule = ({ node, outputGradient }) => {
  const [positions, cosines, sines] = [inputOf(node, 1), inputOf(node, 2), inputOf(node, 3)];
  return [rotary(outputGradient, positions, cosines, negate(sines)), null, null, null];
};

export const TRANSFORMER_RULES: Readonly<Record<string, GradientRule>> = {
  Softmax: softmaxRule,
  LogSoftmax: logSoftmaxRule,
  SimplifiedLayerNormalization: rmsNormRule,
  RotaryEmbedding: rotaryRule,
};
