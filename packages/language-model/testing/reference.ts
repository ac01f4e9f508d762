/**
 * Evaluates a graph in double precision, operator by operator, naively: the yardstick for ONNX Runtime's results and, by
 * central differences, for the gradient graph. Knows only forward operators.
 */
import type { Graph, GraphNode, Value } from '../embedded/onnx/graph.ts';

export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float64Array;
}

export const tensor = (shape: readonly number[], data: ArrayLike<number>): Tensor => ({
  shape,
  data: Float64Array.from(data),
});

const count = (shape: readonly number[]) => shape.reduce((product, length) => product * length, 1);

function strides(shape: readonly number[]): number[] {
  return shape.map((_, axis) => count(shape.slice(axis + 1)));
}

/** Calls back with every multi-index of a shape. */
function eachIndex(shape: readonly number[], visit: (index: readonly number[], flat: number) => void): void {
  const index = new Array<number>(shape.length).fill(0);
  const total = count(shape);
  for (let flat = 0; flat < total; flat += 1) {
    visit(index, flat);
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      index[axis]! += 1;
      if (index[axis]! < shape[axis]!) break;
      index[axis] = 0;
    }
  }
}

function build(shape: readonly number[], element: (index: readonly number[]) => number): Tensor {
  const data = new Float64Array(count(shape));
  eachIndex(shape, (index, flat) => {
    data[flat] = element(index);
  });
  return { shape, data };
}

/** Element at an index that may have more axes than the tensor or run along its axes of length 1. */
function at(value: Tensor, index: readonly number[]): number {
  const { shape, data } = value;
  const missing = index.length - shape.length;
  let flat = 0;
  for (let axis = 0; axis < shape.length; axis += 1)
    flat = flat * shape[axis]! + (shape[axis] === 1 ? 0 : index[axis + missing]!);
  return data[flat]!;
}

function broadcast(left: readonly number[], right: readonly number[]): number[] {
  const rank = Math.max(left.length, right.length);
  return Array.from({ length: rank }, (_, axis) =>
    Math.max(left[axis - rank + left.length] ?? 1, right[axis - rank + right.length] ?? 1),
  );
}

const binary = (operate: (left: number, right: number) => number) => (inputs: readonly Tensor[]) => {
  const [left, right] = [inputs[0]!, inputs[1]!];
  return build(broadcast(left.shape, right.shape), (index) => operate(at(left, index), at(right, index)));
};

const unary = (operate: (x: number) => number) => (inputs: readonly Tensor[]) =>
  ({ shape: inputs[0]!.shape, data: inputs[0]!.data.map(operate) }) satisfies Tensor;

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** Applies a function to each row along the last axis. */
function byRows(value: Tensor, operate: (row: Float64Array) => ArrayLike<number>): Tensor {
  const width = value.shape.at(-1)!;
  const data = new Float64Array(value.data.length);
  for (let start = 0; start < data.length; start += width)
    data.set(operate(value.data.subarray(start, start + width)), start);
  return { shape: value.shape, data };
}

function logSoftmaxRow(row: Float64Array): Float64Array {
  const highest = Math.max(...row);
  const total = Math.log(row.reduce((sum, x) => sum + Math.exp(x - highest), 0));
  return row.map((x) => x - highest - total);
}

function attribute(node: GraphNode, name: string): number {
  const value = node.attributes[name];
  if (value === undefined) throw new Error(`${node.operator} without ${name}`);
  if ('int' in value) return value.int;
  if ('float' in value) return value.float;
  throw new Error(`${node.operator}: ${name} is no number`);
}

function matmul(node: GraphNode, [left, right]: readonly Tensor[]): Tensor {
  const [transposeLeft, transposeRight] = [attribute(node, 'transA') === 1, attribute(node, 'transB') === 1];
  const scale = attribute(node, 'alpha');
  const rows = left!.shape.at(transposeLeft ? -1 : -2)!;
  const inner = left!.shape.at(transposeLeft ? -2 : -1)!;
  const columns = right!.shape.at(transposeRight ? -2 : -1)!;
  const batch = broadcast(left!.shape.slice(0, -2), right!.shape.slice(0, -2));
  return build([...batch, rows, columns], (index) => {
    const [row, column] = [index.at(-2)!, index.at(-1)!];
    const leftIndex = [...index.slice(0, -2), row, row];
    const rightIndex = [...index.slice(0, -2), column, column];
    const leftInner = index.length - (transposeLeft ? 2 : 1);
    const rightInner = index.length - (transposeRight ? 1 : 2);
    let sum = 0;
    for (let k = 0; k < inner; k += 1) {
      leftIndex[leftInner] = k;
      rightIndex[rightInner] = k;
      sum += at(left!, leftIndex) * at(right!, rightIndex);
    }
    return scale * sum;
  });
}

function reduceSum(node: GraphNode, [value, axes]: readonly Tensor[]): Tensor {
  const reduced = new Set(axes!.data);
  const shape = value!.shape.map((length, axis) => (reduced.has(axis) ? 1 : length));
  const total = { shape, data: new Float64Array(count(shape)) };
  const step = strides(shape);
  eachIndex(value!.shape, (index, flat) => {
    const target = index.reduce((sum, position, axis) => sum + (reduced.has(axis) ? 0 : position * step[axis]!), 0);
    total.data[target]! += value!.data[flat]!;
  });
  if (attribute(node, 'keepdims') === 1) return total;
  return { shape: value!.shape.filter((_, axis) => !reduced.has(axis)), data: total.data };
}

function rotary([value, positions, cosines, sines]: readonly Tensor[]): Tensor {
  const half = cosines!.shape[1]!;
  return build(value!.shape, (index) => {
    const [row, position, element] = [index[0]!, index[1]!, index[2]!];
    const within = element % (2 * half);
    const table = [at(positions!, [row, position]), within % half];
    const partner = within < half ? element + half : element - half;
    const sign = within < half ? -1 : 1;
    return at(value!, index) * at(cosines!, table) + sign * at(value!, [row, position, partner]) * at(sines!, table);
  });
}

function concatenate(node: GraphNode, inputs: readonly Tensor[]): Tensor {
  const axis = attribute(node, 'axis');
  const shape = inputs[0]!.shape.with(
    axis,
    inputs.reduce((sum, input) => sum + input.shape[axis]!, 0),
  );
  return build(shape, (index) => {
    let position = index[axis]!;
    for (const input of inputs) {
      if (position < input.shape[axis]!) return at(input, index.with(axis, position));
      position -= input.shape[axis]!;
    }
    throw new Error('outside');
  });
}

type Evaluate = (node: GraphNode, inputs: readonly Tensor[]) => Tensor;

const OPERATORS: Readonly<Record<string, Evaluate>> = {
  Add: (_, inputs) => binary((a, b) => a + b)(inputs),
  Sub: (_, inputs) => binary((a, b) => a - b)(inputs),
  Mul: (_, inputs) => binary((a, b) => a * b)(inputs),
  Div: (_, inputs) => binary((a, b) => a / b)(inputs),
  Max: (_, inputs) => binary(Math.max)(inputs),
  Equal: (_, inputs) => binary((a, b) => (a === b ? 1 : 0))(inputs),
  Where: (_, [condition, whenTrue, whenFalse]) =>
    build(broadcast(broadcast(condition!.shape, whenTrue!.shape), whenFalse!.shape), (index) =>
      at(at(condition!, index) === 1 ? whenTrue! : whenFalse!, index),
    ),
  Neg: (_, inputs) => unary((x) => -x)(inputs),
  Exp: (_, inputs) => unary(Math.exp)(inputs),
  Sigmoid: (_, inputs) => unary(sigmoid)(inputs),
  QuickGelu: (_, inputs) => unary((x) => x * sigmoid(x))(inputs),
  Sum: (_, inputs) => inputs.reduce((left, right) => binary((a, b) => a + b)([left, right])),
  ReduceSum: reduceSum,
  Gemm: matmul,
  FusedMatMul: matmul,
  Softmax: (_, [value]) => byRows(value!, (row) => logSoftmaxRow(row).map(Math.exp)),
  LogSoftmax: (_, [value]) => byRows(value!, logSoftmaxRow),
  SimplifiedLayerNormalization: (node, [value, gain]) =>
    byRows(value!, (row) => {
      const mean = row.reduce((sum, x) => sum + x * x, 0) / row.length;
      return row.map((x, index) => (x * gain!.data[index]!) / Math.sqrt(mean + attribute(node, 'epsilon')));
    }),
  RotaryEmbedding: (_, inputs) => rotary(inputs),
  Reshape: (_, [value, target]) => {
    const known = target!.data.reduce((product, length) => (length < 0 ? product : product * length), 1);
    return {
      shape: Array.from(target!.data, (length) => (length < 0 ? value!.data.length / known : length)),
      data: value!.data,
    };
  },
  Transpose: (node, [value]) => {
    const { perm } = node.attributes;
    const order = perm !== undefined && 'ints' in perm ? perm.ints : [];
    const shape = order.map((axis) => value!.shape[axis]!);
    return build(shape, (index) =>
      at(
        value!,
        order.map((_, axis) => index[order.indexOf(axis)]!),
      ),
    );
  },
  Slice: (_, [value, start, end, axis]) => {
    const along = axis!.data[0]!;
    const shape = value!.shape.with(along, end!.data[0]! - start!.data[0]!);
    return build(shape, (index) => at(value!, index.with(along, index[along]! + start!.data[0]!)));
  },
  Concat: concatenate,
  Expand: (_, [value, shape]) => build([...shape!.data], (index) => at(value!, index)),
  Gather: (_, [table, indices]) =>
    build([...indices!.shape, ...table!.shape.slice(1)], (index) => {
      const chosen = at(indices!, index.slice(0, indices!.shape.length));
      return at(table!, [chosen, ...index.slice(indices!.shape.length)]);
    }),
  GatherElements: (_, [value, indices]) =>
    build(indices!.shape, (index) => at(value!, index.with(-1, at(indices!, index)))),
};

/** Values of the graph's forward nodes up to and including `result`. `nodes` limits them (a gradient part has others). */
export function evaluate(
  graph: Graph,
  feeds: ReadonlyMap<string, Tensor>,
  result: Value,
  nodes: readonly GraphNode[],
): Tensor {
  const values = new Map<string, Tensor>(feeds);
  for (const { name, shape, data } of graph.initializers)
    values.set(name, tensor(shape.map(Number), Array.from(data, Number)));
  for (const node of nodes) {
    const operate = OPERATORS[node.operator];
    if (operate === undefined) throw new Error(`the reference has no ${node.operator}`);
    const inputs = node.inputs.map((input) => values.get(input!.name)!);
    values.set(node.outputs[0]!.name, operate(node, inputs));
  }
  return values.get(result.name)!;
}

/** Central difference in double precision; the error is of the order of the step squared. */
export function finiteDifference(loss: (x: number) => number, x: number): number {
  const step = 1e-5 * Math.max(1, Math.abs(x));
  return (loss(x + step) - loss(x - step)) / (2 * step);
}

/** |a - b| / |b| over all elements. */
export function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) throw new Error(`${actual.length} elements, expected ${expected.length}`);
  let difference = 0;
  let size = 0;
  for (let index = 0; index < expected.length; index += 1) {
    difference += (actual[index]! - expected[index]!) ** 2;
    size += expected[index]! ** 2;
  }
  return Math.sqrt(difference / size);
}
