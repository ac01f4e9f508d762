/** Gradients of the elementwise operators and of sums. */
import { add, divide, multiply, negate, sigmoid, subtract } from '../operations/arithmetic.ts';
import { atLeast, where } from '../operations/compare.ts';
import { reshape, shapeOf } from '../operations/layout.ts';
import { type GradientRule, inputOf, outputOf, reduceToShape } from './rule.ts';

const addRule: GradientRule = ({ node, outputGradient, wants }) => [
  wants(0) ? reduceToShape(outputGradient, inputOf(node, 0)) : null,
  wants(1) ? reduceToShape(outputGradient, inputOf(node, 1)) : null,
];

const subtractRule: GradientRule = ({ node, outputGradient, wants }) => [
  wants(0) ? reduceToShape(outputGradient, inputOf(node, 0)) : null,
  wants(1) ? negate(reduceToShape(outputGradient, inputOf(node, 1))) : null,
];

const multiplyRule: GradientRule = ({ node, outputGradient, wants }) => {
  const [left, right] = [inputOf(node, 0), inputOf(node, 1)];
  return [
    wants(0) ? reduceToShape(multiply(outputGradient, right), left) : null,
    wants(1) ? reduceToShape(multiply(outputGradient, left), right) : null,
  ];
};

const divideRule: GradientRule = ({ node, outputGradient, wants }) => {
  const [left, right] = [inputOf(node, 0), inputOf(node, 1)];
  const scaled = divide(outputGradient, right);
  return [
    wants(0) ? reduceToShape(scaled, left) : null,
    wants(1) ? negate(reduceToShape(multiply(scaled, outputOf(node)), right)) : null,
  ];
};

/** The gradient goes to the greater input; to the left one if they are equal. */
const maximumRule: GradientRule = ({ graph, node, outputGradient, wants }) => {
  const [left, right] = [inputOf(node, 0), inputOf(node, 1)];
  const leftWins = atLeast(left, right);
  const nothing = graph.scalar(0);
  return [
    wants(0) ? reduceToShape(where(leftWins, outputGradient, nothing), left) : null,
    wants(1) ? reduceToShape(where(leftWins, nothing, outputGradient), right) : null,
  ];
};

const negateRule: GradientRule = ({ outputGradient }) => [negate(outputGradient)];

const exponentialRule: GradientRule = ({ node, outputGradient }) => [multiply(outputGradient, outputOf(node))];

/** y' = y (1 - y) */
const sigmoidRule: GradientRule = ({ node, outputGradient }) => {
  const scaled = multiply(outputGradient, outputOf(node));
  return [subtract(scaled, multiply(scaled, outputOf(node)))];
};

/** SiLU: with s = sigmoid(x) and y = x s, y' = s + s (x - y). Only alpha = 1 occurs. */
const siluRule: GradientRule = ({ node, outputGradient }) => {
  const value = inputOf(node, 0);
  const gate = sigmoid(value);
  const slope = add(gate, multiply(gate, subtract(value, outputOf(node))));
  return [multiply(outputGradient, slope)];
};

const sumRule: GradientRule = ({ node, outputGradient, wants }) =>
  node.inputs.map((_, index) => (wants(index) ? outputGradient : null));

/** Every summed element has the gradient of the sum. */
const reduceSumRule: GradientRule = ({ graph, node, outputGradient }) => {
  const value = inputOf(node, 0);
  const axes = new Set(graph.integersOf(inputOf(node, 1)));
  const keptShape = value.shape.map((dimension, axis) => (axes.has(axis) ? 1 : dimension));
  const inputs = [reshape(outputGradient, keptShape), shapeOf(value)];
  return [graph.operation({ operator: 'Expand', inputs }, value.type, value.shape), null];
};

export const ARITHMETIC_RULES: Readonly<Record<string, GradientRule>> = {
  Add: addRule,
  Sub: subtractRule,
  Mul: multiplyRule,
  Div: divideRule,
  Max: maximumRule,
  Neg: negateRule,
  Exp: exponentialRule,
  Sigmoid: sigmoidRule,
  QuickGelu: siluRule,
  Sum: sumRule,
  ReduceSum: reduceSumRule,
};
