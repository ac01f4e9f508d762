/** Gradient of the matrix product. With C = s·op(A)·op(B), every case is a product of two of A, B and C's gradient. */
import { type MatrixProductOptions, matmul } from '../operations/linear.ts';
import { floatAttribute, type GradientRule, inputOf, integerAttribute, reduceToShape } from './rule.ts';

export const matmulRule: GradientRule = ({ node, outputGradient: gradient, wants }) => {
  const [left, right] = [inputOf(node, 0), inputOf(node, 1)];
  const leftTransposed = integerAttribute(node, 'transA', 0) === 1;
  const rightTransposed = integerAttribute(node, 'transB', 0) === 1;
  const product = (a: typeof left, b: typeof left, transposeLeft: boolean, transposeRight: boolean) => {
    const options: MatrixProductOptions = { transposeLeft, transposeRight, scale: floatAttribute(node, 'alpha', 1) };
    return matmul(a, b, options);
  };
  const byLeft = () =>
    leftTransposed
      ? product(right, gradient, rightTransposed, true)
      : product(gradient, right, false, !rightTransposed);
  const byRight = () =>
    rightTransposed ? product(gradient, left, true, leftTransposed) : product(left, gradient, !leftTransposed, false);
  return [wants(0) ? reduceToShape(byLeft(), left) : null, wants(1) ? reduceToShape(byRight(), right) : null];
};

export const LINEAR_RULES: Readonly<Record<string, GradientRule>> = { Gemm: matmulRule, FusedMatMul: matmulRule };
