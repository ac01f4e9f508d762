/** Operators that move elements without computing: reshape, transpose, slice, concatenate, gather, cast. */
import type { Graph, Value } from '../graph.ts';
import { ELEMENT_TYPE_NUMBERS } from '../proto.ts';
import { axisOf, type Dimension, elementCount, graphError, type Shape, sameShape, shapeText } from '../shape.ts';

const isFixed = (shape: Shape) => shape.every((dimension) => typeof dimension === 'number');

/** Reshapes a value. All named dimensions but one must be bound (`Graph.bindDimension`). */
export function reshape(value: Value, shape: Shape): Value {
  if (sameShape(value.shape, shape)) return value;
  const what = `reshape of ${shapeText(value.shape)} to ${shapeText(shape)}`;
  if (isFixed(value.shape) && isFixed(shape) && elementCount(value.shape) !== elementCount(shape))
    throw graphError(`${what}: element counts differ`);
  const inputs = [value, value.graph.shapeVector(shape)];
  return value.graph.operation({ operator: 'Reshape', inputs }, value.type, shape);
}

/** Axis i of the result is axis `permutation[i]` of the value. */
export function transpose(value: Value, permutation: readonly number[]): Value {
  const sorted = [...permutation].sort((left, right) => left - right);
  if (sorted.length !== value.shape.length || sorted.some((axis, index) => axis !== index))
    throw graphError(`transpose of ${shapeText(value.shape)} by ${permutation.join(', ')}`);
  const shape = permutation.map((axis) => value.shape[axis]!);
  const attributes = { perm: { ints: permutation } };
  return value.graph.operation({ operator: 'Transpose', inputs: [value], attributes }, value.type, shape);
}

/** Elements [start, end) along one axis of fixed length. */
export function slice(value: Value, axis: number, start: number, end: number): Value {
  const index = axisOf(value.shape, axis);
  const length = value.shape[index]!;
  if (typeof length === 'string' || start < 0 || end > length || start >= end)
    throw graphError(`slice [${start}, ${end}) of axis ${axis} of ${shapeText(value.shape)}`);
  const { graph } = value;
  const inputs = [value, graph.integers([start]), graph.integers([end]), graph.integers([index])];
  const shape = value.shape.with(index, end - start);
  return graph.operation({ operator: 'Slice', inputs }, value.type, shape);
}

/**
 * Elements [start, end) of the first axis; both bounds are int64 [1], known at run time; `length` names the new
 * dimension.
 */
export function sliceRange(value: Value, start: Value, end: Value, length: string): Value {
  const inputs = [value, start, end, value.graph.integers([0])];
  return value.graph.operation({ operator: 'Slice', inputs }, value.type, [length, ...value.shape.slice(1)]);
}

/** Zeros before and after the elements of one axis. */
export function padZeros(value: Value, axis: number, before: number, after: number): Value {
  const index = axisOf(value.shape, axis);
  const length = value.shape[index]!;
  if (typeof length === 'string') throw graphError(`padding of axis ${axis} of ${shapeText(value.shape)}: not fixed`);
  const rank = value.shape.length;
  const pads = new Array<number>(2 * rank)
    .fill(0)
    .with(index, before)
    .with(rank + index, after);
  const inputs = [value, value.graph.integers(pads)];
  const shape = value.shape.with(index, length + before + after);
  return value.graph.operation({ operator: 'Pad', inputs }, value.type, shape);
}

/** Concatenates tensors along an axis. Their lengths along it must be fixed if there is more than one. */
export function concatenate(values: readonly Value[], axis: number): Value {
  const [first] = values;
  if (first === undefined) throw graphError('concatenation of no tensors');
  const index = axisOf(first.shape, axis);
  for (const value of values)
    if (!sameShape(value.shape.with(index, 0), first.shape.with(index, 0)))
      throw graphError(`concatenation of ${shapeText(first.shape)} and ${shapeText(value.shape)} along axis ${axis}`);
  const total = elementSum(values.map((value) => value.shape[index]!));
  const attributes = { axis: { int: index } };
  return first.graph.operation(
    { operator: 'Concat', inputs: values, attributes },
    first.type,
    first.shape.with(index, total),
  );
}

/** Rows of `table` (its first axis) chosen by int64 `indices` of any shape. */
export function gatherRows(table: Value, indices: Value): Value {
  const shape = [...indices.shape, ...table.shape.slice(1)];
  const attributes = { axis: { int: 0 } };
  return table.graph.operation({ operator: 'Gather', inputs: [table, indices], attributes }, table.type, shape);
}

/** Returns, for each row of `value` [rows, columns], the elements at that row's int64 `indices` [rows, count]. */
export function gatherAlongLastAxis(value: Value, indices: Value): Value {
  const attributes = { axis: { int: value.shape.length - 1 } };
  const inputs = [value, indices];
  return value.graph.operation({ operator: 'GatherElements', inputs, attributes }, value.type, indices.shape);
}

/** The shape as an int64 vector, computed at run time. */
export function shapeOf(value: Value): Value {
  return value.graph.operation({ operator: 'Shape', inputs: [value] }, 'int64', [value.shape.length]);
}

/** Zeros of the shape of `value`, which may be known only at run time. */
export function zerosLike(value: Value): Value {
  return value.graph.operation({ operator: 'ConstantOfShape', inputs: [shapeOf(value)] }, 'float32', value.shape);
}

/** Zeros of a fixed shape. */
export function zeros(graph: Graph, shape: Shape): Value {
  return graph.operation({ operator: 'ConstantOfShape', inputs: [graph.shapeVector(shape)] }, 'float32', shape);
}

/** Converts the elements to another type. */
export function cast(value: Value, type: 'float32' | 'int32' | 'int64'): Value {
  const attributes = { to: { int: ELEMENT_TYPE_NUMBERS[type] } };
  return value.graph.operation({ operator: 'Cast', inputs: [value], attributes }, type, value.shape);
}

function elementSum(dimensions: readonly Dimension[]): Dimension {
  if (dimensions.length === 1) return dimensions[0]!;
  return dimensions.reduce<number>((total, dimension) => {
    if (typeof dimension === 'string')
      throw graphError(`concatenation along the axis ${dimension}, which is not fixed`);
    return total + dimension;
  }, 0);
}
