/** AdamW and clipping as the graph computes them, against the same formulas in double precision. Costs about 1 s. */
import * as onnx from 'onnxruntime-node';
import { describe, expect, test } from 'vitest';
import { TINY_SHAPE } from '../../testing/small-model.ts';
import { Graph } from '../onnx/graph.ts';
import { loop } from '../onnx/operations/loop.ts';
import { clipScale, globalNorm, stepFactors, updated } from './adamw.ts';
import { parameterLayout } from './parameter-layout.ts';

const WEIGHTS = [0.5, -2, 0.001];
const RATE = 0.1;

interface Recipe {
  readonly weightDecay: number;
  readonly gradientClipNorm: number;
}

/** Weights after a step for each row of gradients, by the graph. */
async function byGraph(gradients: readonly (readonly number[])[], recipe: Recipe): Promise<number[]> {
  const size = WEIGHTS.length;
  const graph = new Graph('step');
  const input = (name: string) => graph.input(name, 'float32', [size]);
  const state = { weight: input('weight'), firstMoment: input('first'), secondMoment: input('second') };
  const gradient = input('gradient');
  const scalar = (name: string) => graph.input(name, 'float32', []);
  const scale = clipScale(graph, globalNorm([gradient]), recipe.gradientClipNorm);
  const next = updated(state, gradient, {
    scale,
    rate: scalar('rate'),
    epsilon: scalar('epsilon'),
    kept: recipe.weightDecay > 0 ? scalar('kept') : null,
  });
  graph.output('next_weight', next.weight);
  graph.output('next_first', next.firstMoment);
  graph.output('next_second', next.secondMoment);
  const session = await onnx.InferenceSession.create(graph.encode(), { intraOpNumThreads: 1 });
  const vector = (data: readonly number[]) => new onnx.Tensor('float32', Float32Array.from(data), [size]);
  let [weight, first, second] = [vector(WEIGHTS), vector([0, 0, 0]), vector([0, 0, 0])];
  for (const [index, row] of gradients.entries()) {
    const { rate, epsilon, kept } = stepFactors(index + 1, RATE, recipe.weightDecay);
    const feeds: Record<string, onnx.Tensor> = { weight, first, second, gradient: vector(row) };
    const factors = { rate, epsilon, ...(recipe.weightDecay > 0 && { kept }) };
    for (const [name, value] of Object.entries(factors)) feeds[name] = new onnx.Tensor('float32', [value], []);
    const outputs = await session.run(feeds);
    [weight, first, second] = [outputs.next_weight, outputs.next_first, outputs.next_second] as [
      typeof weight,
      typeof weight,
      typeof weight,
    ];
  }
  await session.release();
  return Array.from(weight.data as Float32Array);
}

/** The same from the papers' formulas. */
function byFormula(gradients: readonly (readonly number[])[], { weightDecay, gradientClipNorm }: Recipe): number[] {
  const weights = [...WEIGHTS];
  const [first, second] = [weights.map(() => 0), weights.map(() => 0)];
  gradients.forEach((row, index) => {
    const norm = Math.hypot(...row);
    const scale = gradientClipNorm > 0 ? Math.min(1, gradientClipNorm / norm) : 1;
    row.forEach((value, at) => {
      first[at] = 0.9 * first[at]! + 0.1 * value * scale;
      second[at] = 0.95 * second[at]! + 0.05 * (value * scale) ** 2;
      const [m, v] = [first[at]! / (1 - 0.9 ** (index + 1)), second[at]! / (1 - 0.95 ** (index + 1))];
      weights[at] = weights[at]! * (1 - RATE * weightDecay) - (RATE * m) / (Math.sqrt(v) + 1e-8);
    });
  });
  return weights;
}

describe('AdamW', () => {
  const gradients = [
    [1, -0.003, 20],
    [3, 0.5, -1e-4],
    [-0.01, 0.02, 0],
    [0, 0, 0],
    [5, -5, 1e-7],
  ];
  test.for([
    { name: 'plain', weightDecay: 0, gradientClipNorm: 0 },
    { name: 'clipped', weightDecay: 0, gradientClipNorm: 1 },
    { name: 'decaying', weightDecay: 0.5, gradientClipNorm: 0 },
    { name: 'clipped and decaying', weightDecay: 0.01, gradientClipNorm: 0.3 },
  ])('$name', async (recipe) => {
    const actual = await byGraph(gradients, recipe);
    byFormula(gradients, recipe).forEach((expected, index) => {
      expect(Math.abs(actual[index]! - expected)).toBeLessThan(1e-6);
    });
  });

  test('norms and the embedding do not decay, matrices and a head of its own do', () => {
    const { entries } = parameterLayout({ ...TINY_SHAPE, tiedEmbeddings: false });
    const decaying = entries.filter(({ decays }) => decays).map(({ name }) => name.split('.').at(-2));
    expect(new Set(decaying)).toEqual(
      new Set(['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj', 'lm_head']),
    );
  });
});

describe('loops', () => {
  test('carry values, collect others and see what is around them', async () => {
    const graph = new Graph('outer');
    const start = graph.input('start', 'float32', [2]);
    const factor = graph.operation({ operator: 'Exp', inputs: [graph.input('power', 'float32', [])] }, 'float32', []);
    const { carried, collected } = loop(graph, {
      name: 'powers',
      turns: graph.input('turns', 'int64', []),
      turnsDimension: 'turns',
      initial: [start],
      build: (body, _, [value]) => {
        const inputs = [value!, body.capture(factor)];
        const next = body.operation({ operator: 'Mul', inputs }, 'float32', [2]);
        return { carried: [next], collected: [value!] };
      },
    });
    graph.output('last', carried[0]!);
    graph.output('all', collected[0]!);
    // The captured value is an output too, which gives it another name.
    graph.output('factor', factor);
    const session = await onnx.InferenceSession.create(graph.encode(), { intraOpNumThreads: 1 });
    const results = await session.run({
      start: new onnx.Tensor('float32', [1, 3], [2]),
      power: new onnx.Tensor('float32', [Math.log(2)], []),
      turns: new onnx.Tensor('int64', [3n], []),
    });
    const rounded = (name: string) => Array.from(results[name]!.data as Float32Array, (value) => Math.round(value));
    expect(rounded('last')).toEqual([8, 24]);
    expect(rounded('all')).toEqual([1, 3, 2, 6, 4, 12]);
    expect(results.all!.dims).toEqual([3, 2]);
    await session.release();
  });

  test('whose carried values change shape, and values of another graph, are refused where they are written', () => {
    const graph = new Graph('outer');
    const start = graph.input('start', 'float32', [2]);
    const request = { name: 'body', turns: graph.integers([3]), turnsDimension: 3, initial: [start] };
    const reshaped = (body: Graph, value: typeof start) =>
      body.operation({ operator: 'Reshape', inputs: [value, body.integers([1, 2])] }, 'float32', [1, 2]);
    expect(() =>
      loop(graph, { ...request, build: (body, _, [value]) => ({ carried: [reshaped(body, value!)], collected: [] }) }),
    ).toThrow('changes in number or shape');
    const stranger = new Graph('stranger').input('x', 'float32', [2]);
    expect(() => graph.capture(stranger)).toThrow('not of a graph around');
  });
});
