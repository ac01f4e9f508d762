/** Gradients of the operators that move elements. Each moves the gradient back to the element's origin. */
import { padZeros, reshape, slice, transpose, zerosLike } from '../operations/layout.ts';
import { graphError, shapeText } from '../shape.ts';
import { type GradientRule, inputOf, integerAttribute } from './rule.ts';

const reshapeRule: GradientRule = ({ node, outputGradient }) => [reshape(outputGradient, inputOf(node, 0).shape), null];

const transposeRule: GradientRule = ({ node, outputGradient }) => {
  const permutation = node.attributes.perm;
  if (permutation === undefined || !('ints' in permutation)) throw graphError('Transpose without a permutation');
  const inverse = permutation.ints.map((_, axis) => permutation.ints.indexOf(axis));
  return [transpose(outputGradient, inverse)];
};

const sliceRule: GradientRule = ({ graph, node, outputGradient }) => {
  const value = inputOf(node, 0);
  const [start, end, axis] = [1, 2, 3].map((index) => graph.integersOf(inputOf(node, index))[0]!);
  return [padZeros(outputGradient, axis!, start!, Number(value.shape[axis!]) - end!), null, null, null];
};

const concatenateRule: GradientRule = ({ node, outputGradient, wants }) => {
  const axis = integerAttribute(node, 'axis', 0);
  if (node.inputs.length === 1) return [outputGradient];
  let start = 0;
  return node.inputs.map((_, index) => {
    const length = Number(inputOf(node, index).shape[axis]);
    start += length;
    return wants(index) ? slice(outputGradient, axis, start - length, start) : null;
  });
};

/**
 * A row that was chosen several times collects several gradients, added in a fixed order so that sums are
 * reproducible.
 */
const gatherRule: GradientRule = ({ graph, node, outputGradient }) => {
  const [table, indices] = [inputOf(node, 0), inputOf(node, 1)];
  if (integerAttribute(node, 'axis', 0) !== 0) throw graphError(`gradient of Gather along axis other than 0`);
  const rows = reshape(indices, [...indices.shape, 1]);
  const attributes = { reduction: { string: 'add' } };
  const inputs = [zerosLike(table), rows, outputGradient];
  return [graph.operation({ operator: 'ScatterND', inputs, attributes }, table.type, table.shape), null];
};

const gatherElementsRule: GradientRule = ({ graph, node, outputGradient }) => {
  const [value, indices] = [inputOf(node, 0), inputOf(node, 1)];
  if (value.shape.length !== indices.shape.length)
    throw graphError(`gather of ${shapeText(indices.shape)} elements from ${shapeText(value.shape)}`);
  const attributes = { axis: { int: integerAttribute(node, 'axis', 0) }, reduction: { string: 'add' } };
  const inputs = [zerosLike(value), indices, outputGradient];
  return [graph.operation({ operator: 'ScatterElements', inputs, attributes }, value.type, value.shape), null];
};

export const LAYOUT_RULES: Readonly<Record<string, GradientRule>> = {
  Reshape: reshapeRule,
  Transpose: transposeRule,
  Slice: sliceRule,
  Concat: concatenateRule,
  Gather: gatherRule,
  GatherElements: gatherElementsRule,
};
