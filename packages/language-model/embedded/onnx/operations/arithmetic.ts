/** Elementwise operators with broadcasting, and sums along axes, for float32; sums for int64 too. */
import type { Value } from '../graph.ts';
import { MICROSOFT_DOMAIN } from '../proto.ts';
import { axisOf, broadcastShapes, type Dimension, graphError, sameShape, shapeText } from '../shape.ts';

function binary(operator: string, left: Value, right: Value): Value {
  const shape = broadcastShapes(left.shape, right.shape, operator);
  return left.graph.operation({ operator, inputs: [left, right] }, left.type, shape);
}

function unary(operator: string, value: Value): Value {
  return value.graph.operation({ operator, inputs: [value] }, value.type, value.shape);
}

export const add = (left: Value, right: Value): Value => binary('Add', left, right);
export const subtract = (left: Value, right: Value): Value => binary('Sub', left, right);
export const multiply = (left: Value, right: Value): Value => binary('Mul', left, right);
export const divide = (left: Value, right: Value): Value => binary('Div', left, right);
export const maximum = (left: Value, right: Value): Value => binary('Max', left, right);
export const negate = (value: Value): Value => unary('Neg', value);
export const exponential = (value: Value): Value => unary('Exp', value);
export const squareRoot = (value: Value): Value => unary('Sqrt', value);
export const sigmoid = (value: Value): Value => unary('Sigmoid', value);

/** x·sigmoid(x), as one node. */
export function silu(value: Value): Value {
  const request = { operator: 'QuickGelu', domain: MICROSOFT_DOMAIN, attributes: { alpha: { float: 1 } } };
  return value.graph.operation({ ...request, inputs: [value] }, value.type, value.shape);
}

/** Sum of several tensors of one shape, as one node and in the given order. */
export function sum(values: readonly Value[]): Value {
  const [first, ...others] = values;
  if (first === undefined) throw graphError('sum of no tensors');
  if (others.length === 0) return first;
  for (const other of others)
    if (!sameShape(first.shape, other.shape))
      throw graphError(`sum of tensors of shapes ${shapeText(first.shape)} and ${shapeText(other.shape)}`);
  return first.graph.operation({ operator: 'Sum', inputs: values }, first.type, first.shape);
}

/** Sum along axes; `keepAxes` keeps them with length 1. */
export function reduceSum(value: Value, axes: readonly number[], keepAxes: boolean): Value {
  const reduced = new Set(axes.map((axis) => axisOf(value.shape, axis)));
  const shape = value.shape.flatMap<Dimension>((dimension, axis) => {
    if (!reduced.has(axis)) return [dimension];
    return keepAxes ? [1] : [];
  });
  const attributes = { keepdims: { int: keepAxes ? 1 : 0 } };
  const inputs = [value, value.graph.integers([...reduced])];
  return value.graph.operation({ operator: 'ReduceSum', inputs, attributes }, value.type, shape);
}

/** The scalar Σ x² over all elements. */
export function sumOfSquares(value: Value): Value {
  const attributes = { keepdims: { int: 0 } };
  return value.graph.operation({ operator: 'ReduceSumSquare', inputs: [value], attributes }, value.type, []);
}
