/** Matrix products: plain, transposed, scaled, batched. */
import type { Value } from '../graph.ts';
import { MICROSOFT_DOMAIN } from '../proto.ts';
import { broadcastShapes, graphError, shapeText } from '../shape.ts';

export interface MatrixProductOptions {
  readonly transposeLeft?: boolean;
  readonly transposeRight?: boolean;
  /** Factor on the product, default 1. */
  readonly scale?: number;
}

/**
 * scale · op(left) · op(right) over the last two axes, where op transposes if requested. Leading axes are batch axes
 * and broadcast. Two matrices use Gemm, other cases FusedMatMul; neither copies a transposed operand.
 */
export function matmul(left: Value, right: Value, options: MatrixProductOptions = {}): Value {
  const { transposeLeft = false, transposeRight = false, scale = 1 } = options;
  const what = `matmul of ${shapeText(left.shape)}${transposeLeft ? 'ᵀ' : ''} and ${shapeText(right.shape)}${transposeRight ? 'ᵀ' : ''}`;
  if (left.shape.length < 2 || right.shape.length < 2) throw graphError(`${what}: both need two axes or more`);
  const [rows, innerLeft] = matrixAxes(left, transposeLeft);
  const [innerRight, columns] = matrixAxes(right, transposeRight);
  if (innerLeft !== innerRight) throw graphError(`${what}: inner dimensions ${innerLeft} and ${innerRight} differ`);
  const batch = broadcastShapes(left.shape.slice(0, -2), right.shape.slice(0, -2), what);
  const attributes = {
    transA: { int: transposeLeft ? 1 : 0 },
    transB: { int: transposeRight ? 1 : 0 },
    alpha: { float: scale },
  };
  const inputs = [left, right];
  const shape = [...batch, rows, columns];
  return left.shape.length === 2 && right.shape.length === 2
    ? left.graph.operation({ operator: 'Gemm', inputs, attributes }, left.type, shape)
    : left.graph.operation({ operator: 'FusedMatMul', domain: MICROSOFT_DOMAIN, inputs, attributes }, left.type, shape);
}

/** x Wᵀ for x [tokens, in] and W [out, in], the layout of checkpoints. */
export const linear = (input: Value, weight: Value): Value => matmul(input, weight, { transposeRight: true });

function matrixAxes(value: Value, transposed: boolean) {
  const [rows, columns] = [value.shape.at(-2)!, value.shape.at(-1)!];
  return transposed ? ([columns, rows] as const) : ([rows, columns] as const);
}
