/** Every operator's value against double precision, and its gradient against central differences there. Costs about 2 s. */
import * as onnx from 'onnxruntime-node';
import { describe, expect, test } from 'vitest';
import { evaluate, finiteDifference, relativeError, type Tensor, tensor } from '../../../testing/reference.ts';
import { uniformGenerator } from '../../training/random.ts';
import { Graph, type Value } from '../graph.ts';
import * as arithmetic from '../operations/arithmetic.ts';
import * as layout from '../operations/layout.ts';
import { matmul } from '../operations/linear.ts';
import * as transformer from '../operations/transformer.ts';
import { differentiate } from './differentiate.ts';

const RELATIVE_ERROR_MAX = 1e-5;

interface Case {
  readonly name: string;
  /** Shapes of the inputs that are differentiated. */
  readonly shapes: readonly (readonly number[])[];
  readonly build: (values: readonly Value[], graph: Graph) => Value;
  /** Whether inputs are drawn from [0.5, 1.5] instead of [-1, 1]. */
  readonly positive?: boolean;
}

const indices = (graph: Graph, shape: readonly number[], numbers: readonly number[]) =>
  graph.initializer(`indices_${numbers.join('')}`, shape, BigInt64Array.from(numbers, BigInt));

function rotaryCase([value]: readonly Value[], graph: Graph): Value {
  const table = (name: string, of: (angle: number) => number) =>
    graph.initializer(
      name,
      [9, 2],
      Float32Array.from({ length: 18 }, (_, index) => of(0.37 * index)),
    );
  const positions = indices(graph, [2, 3], [0, 1, 8, 4, 4, 2]);
  return transformer.rotary(value!, positions, table('cosines', Math.cos), table('sines', Math.sin));
}

const CASES: readonly Case[] = [
  {
    name: 'add',
    shapes: [
      [2, 3],
      [2, 3],
    ],
    build: ([a, b]) => arithmetic.add(a!, b!),
  },
  {
    name: 'add, both broadcast',
    shapes: [
      [2, 1, 4],
      [3, 1],
    ],
    build: ([a, b]) => arithmetic.add(a!, b!),
  },
  { name: 'add to itself', shapes: [[3]], build: ([a]) => arithmetic.add(a!, a!) },
  { name: 'subtract, broadcast', shapes: [[3], [2, 3]], build: ([a, b]) => arithmetic.subtract(a!, b!) },
  {
    name: 'multiply, broadcast',
    shapes: [
      [2, 3],
      [2, 1],
    ],
    build: ([a, b]) => arithmetic.multiply(a!, b!),
  },
  { name: 'square', shapes: [[4]], build: ([a]) => arithmetic.multiply(a!, a!) },
  { name: 'divide, broadcast', shapes: [[2, 3], [3]], positive: true, build: ([a, b]) => arithmetic.divide(a!, b!) },
  {
    name: 'maximum, broadcast',
    shapes: [[2, 3], [3]],
    build: ([a, b]) => arithmetic.maximum(a!, b!),
  },
  { name: 'negate', shapes: [[3]], build: ([a]) => arithmetic.negate(a!) },
  { name: 'exponential', shapes: [[3, 2]], build: ([a]) => arithmetic.exponential(a!) },
  { name: 'sigmoid', shapes: [[5]], build: ([a]) => arithmetic.sigmoid(a!) },
  { name: 'silu', shapes: [[2, 5]], build: ([a]) => arithmetic.silu(a!) },
  {
    name: 'sum',
    shapes: [
      [2, 2],
      [2, 2],
      [2, 2],
    ],
    build: ([a, b, c]) => arithmetic.sum([a!, b!, c!, a!]),
  },
  { name: 'sum along axes', shapes: [[2, 3, 4]], build: ([a]) => arithmetic.reduceSum(a!, [0, -1], false) },
  { name: 'sum, axes kept', shapes: [[2, 3, 4]], build: ([a]) => arithmetic.reduceSum(a!, [1], true) },
  ...[false, true].flatMap((transposeLeft) =>
    [false, true].map((transposeRight): Case => {
      const left = transposeLeft ? [4, 3] : [3, 4];
      const right = transposeRight ? [5, 4] : [4, 5];
      const options = { transposeLeft, transposeRight, scale: 0.7 };
      return {
        name: `matmul ${transposeLeft ? 'Aᵀ' : 'A'} ${transposeRight ? 'Bᵀ' : 'B'}`,
        shapes: [left, right],
        build: ([a, b]) => matmul(a!, b!, options),
      };
    }),
  ),
  {
    name: 'matmul, batched',
    shapes: [
      [2, 3, 4],
      [2, 5, 4],
    ],
    build: ([a, b]) => matmul(a!, b!, { transposeRight: true, scale: 0.5 }),
  },
  {
    name: 'matmul, batch broadcast and transposed',
    shapes: [
      [2, 3, 4, 2],
      [3, 4, 5],
    ],
    build: ([a, b]) => matmul(a!, b!, { transposeLeft: true }),
  },
  { name: 'reshape', shapes: [[2, 6]], build: ([a]) => layout.reshape(a!, [3, 4]) },
  { name: 'transpose', shapes: [[2, 3, 4]], build: ([a]) => layout.transpose(a!, [2, 0, 1]) },
  { name: 'slice', shapes: [[2, 5]], build: ([a]) => layout.slice(a!, -1, 1, 4) },
  {
    name: 'concatenate',
    shapes: [
      [2, 1],
      [2, 3],
      [2, 2],
    ],
    build: (all) => layout.concatenate(all, 1),
  },
  {
    name: 'gather, rows repeated',
    shapes: [[4, 3]],
    build: ([a], graph) => layout.gatherRows(a!, indices(graph, [2, 3], [3, 0, 3, 1, 3, 0])),
  },
  {
    name: 'gather along the last axis',
    shapes: [[3, 4]],
    build: ([a], graph) => layout.gatherAlongLastAxis(a!, indices(graph, [3, 2], [3, 0, 1, 1, 2, 0])),
  },
  { name: 'softmax', shapes: [[3, 4]], build: ([a]) => transformer.softmax(a!) },
  { name: 'log-softmax', shapes: [[3, 4]], build: ([a]) => transformer.logSoftmax(a!) },
  { name: 'RMS normalisation', shapes: [[3, 6], [6]], build: ([a, gain]) => transformer.rmsNorm(a!, gain!, 1e-2) },
  { name: 'rotary embedding', shapes: [[2, 3, 8]], build: rotaryCase },
];

function drawn(shape: readonly number[], uniform: () => number, positive: boolean): Tensor {
  const length = shape.reduce((product, size) => product * size, 1);
  // Rounded to float32, so that both sides start from the same numbers.
  return tensor(
    shape,
    Float32Array.from({ length }, () => (positive ? 0.5 + uniform() : 2 * uniform() - 1)),
  );
}

describe('operators', () => {
  test.for(CASES)('$name', async ({ shapes, build, positive = false }) => {
    const graph = new Graph('case');
    const inputs = shapes.map((shape, index) => graph.input(`x${index}`, 'float32', shape));
    const result = build(inputs, graph);
    const uniform = uniformGenerator(11);
    const feeds = new Map(inputs.map(({ name }, index) => [name, drawn(shapes[index]!, uniform, positive)]));
    // A weighted sum of the result: with all weights 1 the gradient of a softmax would be nothing.
    const mixture = drawn(result.shape.map(Number), uniform, false);
    const weights = graph.initializer('mixture', result.shape, Float32Array.from(mixture.data));
    const axes = result.shape.map((_, axis) => axis);
    const loss = arithmetic.reduceSum(arithmetic.multiply(result, weights), axes, false);
    const forward = [...graph.nodes];
    const gradients = differentiate(loss, inputs);
    graph.output('result', result);
    gradients.forEach((gradient, index) => {
      graph.output(`g${index}`, gradient);
    });
    const session = await onnx.InferenceSession.create(graph.encode(), { intraOpNumThreads: 1 });
    const outputs = await session.run(
      Object.fromEntries(
        [...feeds].map(([name, { shape, data }]) => [name, new onnx.Tensor('float32', Float32Array.from(data), shape)]),
      ),
    );
    const data = (name: string) => outputs[name]!.data as Float32Array;
    expect(relativeError(data('result'), evaluate(graph, feeds, result, forward).data)).toBeLessThan(
      RELATIVE_ERROR_MAX,
    );
    inputs.forEach(({ name }, index) => {
      const value = feeds.get(name)!;
      const expected = value.data.map((element, index) => {
        const lossAt = (x: number) => {
          const moved = new Map(feeds).set(name, { ...value, data: value.data.with(index, x) });
          return evaluate(graph, moved, loss, forward).data[0]!;
        };
        return finiteDifference(lossAt, element);
      });
      expect(Math.hypot(...expected)).toBeGreaterThan(1e-3);
      expect(relativeError(data(`g${index}`), expected)).toBeLessThan(RELATIVE_ERROR_MAX);
    });
    await session.release();
  });
});

describe('mistakes in a graph', () => {
  const graph = new Graph('wrong');
  const value = graph.input('value', 'float32', ['rows', 3]);
  const other = graph.input('other', 'float32', [4, 5]);

  test.for<[string, () => unknown, RegExp]>([
    ['shapes that do not broadcast', () => arithmetic.add(value, other), /\[rows, 3\] and \[4, 5\]/],
    ['inner dimensions that differ', () => matmul(value, other), /inner dimensions 3 and 4/],
    ['a reshape to another count', () => layout.reshape(other, [3, 7]), /\[4, 5\] to \[3, 7\]/],
    ['a slice outside', () => layout.slice(value, 1, 2, 4), /\[2, 4\)/],
    ['a slice of an open axis', () => layout.slice(value, 0, 0, 1), /\[rows, 3\]/],
    ['values of another graph', () => arithmetic.add(value, new Graph('b').input('b', 'float32', [3])), /graph b/],
    ['a name twice', () => graph.input('value', 'float32', [1]), /taken/],
    ['a loss that is no scalar', () => differentiate(value, [value]), /scalar/],
    ['a loss that does not depend', () => differentiate(graph.scalar(2), [value]), /does not depend on value/],
  ])('%s', ([, mistake, message]) => {
    expect(mistake).toThrow(message);
  });
});
