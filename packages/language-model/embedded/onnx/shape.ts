/**
 * Tensor shapes. Fixed dimensions are numbers; dimensions known only at run time are names, and equal names mean equal
 * sizes. Broadcasting and reduction follow ONNX (NumPy) rules.
 */
import { StpError } from '@stp/base';

export type Dimension = number | string;
export type Shape = readonly Dimension[];

const ADVICE = 'This is a mistake in the graph, not in its input: report it with the shapes above.';

/** The error for a wrongly built graph. */
export function graphError(message: string): StpError {
  return new StpError('STP1301', message, ADVICE);
}

/** Formats a shape: `[rows, 4, 32]`. */
export function shapeText(shape: Shape): string {
  return `[${shape.join(', ')}]`;
}

export function sameShape(left: Shape, right: Shape): boolean {
  return left.length === right.length && left.every((dimension, axis) => dimension === right[axis]);
}

/** Index of an axis counted from the front; negative axes count from the back. */
export function axisOf(shape: Shape, axis: number): number {
  const index = axis < 0 ? shape.length + axis : axis;
  if (!Number.isInteger(index) || index < 0 || index >= shape.length)
    throw graphError(`axis ${axis} of a tensor of shape ${shapeText(shape)}`);
  return index;
}

/** Shape of an elementwise operation on two tensors. */
export function broadcastShapes(left: Shape, right: Shape, what: string): Shape {
  const rank = Math.max(left.length, right.length);
  return Array.from({ length: rank }, (_, axis) => {
    const a = left[axis - rank + left.length] ?? 1;
    const b = right[axis - rank + right.length] ?? 1;
    if (a === b || b === 1) return a;
    if (a === 1) return b;
    throw graphError(`${what}: shapes ${shapeText(left)} and ${shapeText(right)} do not broadcast`);
  });
}

/** Axes of `wide` along which a tensor of shape `narrow` was repeated (missing leading axes included). */
export function broadcastAxes(narrow: Shape, wide: Shape): number[] {
  const missing = wide.length - narrow.length;
  return wide.flatMap((dimension, axis) =>
    axis < missing || (narrow[axis - missing] === 1 && dimension !== 1) ? [axis] : [],
  );
}

/** Returns the number of elements. Throws if a dimension is only named. */
export function elementCount(shape: Shape): number {
  return shape.reduce<number>((product, dimension) => {
    if (typeof dimension === 'string') throw graphError(`the element count of ${shapeText(shape)} is not fixed`);
    return product * dimension;
  }, 1);
}
