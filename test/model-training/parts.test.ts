/** The parts of training that have no graph: packing, step planning, AdamW, the learning rate. Costs about 1 s. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Adamw, globalNorm } from '../../model/embedded/training/adamw.ts';
import { initialParameters } from '../../model/embedded/training/initial-parameters.ts';
import { learningRateAt } from '../../model/embedded/training/learning-rate.ts';
import { packRows, rowLengths } from '../../model/embedded/training/pack-rows.ts';
import type { TokenisedExample } from '../../model/embedded/training/packed-batch.ts';
import { parameterLayout, parameterView } from '../../model/embedded/training/parameter-layout.ts';
import { exampleSteps } from '../../model/embedded/training/schedule-examples.ts';
import { TINY_SHAPE } from './small-model.ts';

const MICRO_BATCH_TOKENS = 1024;

const examplesOf = (lengths: readonly number[]): TokenisedExample[] =>
  lengths.map((length) => ({ tokens: new Array<number>(length).fill(1), promptLength: 1, weight: 1 }));

describe('packing into rows', () => {
  const lengthsArbitrary = fc.array(fc.integer({ min: 2, max: 256 }), { minLength: 1, maxLength: 80 });

  test('every example is in exactly one row, and every row fits', () => {
    fc.assert(
      fc.property(lengthsArbitrary, (lengths) => {
        const examples = examplesOf(lengths);
        const batches = packRows(examples, 256);
        expect(new Set(batches.flatMap(({ rows }) => rows.flat()))).toEqual(new Set(examples));
        expect(batches.flatMap(({ rows }) => rows.flat())).toHaveLength(examples.length);
        for (const { rows, rowLength } of batches) {
          expect(rowLengths(256)).toContain(rowLength);
          expect(rows.length * rowLength).toBeLessThanOrEqual(MICRO_BATCH_TOKENS);
          for (const row of rows) {
            const used = row.reduce((total, { tokens }) => total + tokens.length, 0);
            expect(used).toBeGreaterThan(0);
            expect(used).toBeLessThanOrEqual(rowLength);
          }
        }
      }),
    );
  });

  test('less than half of what is computed is padding, but for the last row', () => {
    fc.assert(
      fc.property(lengthsArbitrary, (lengths) => {
        const batches = packRows(examplesOf(lengths), 256);
        const area = batches.reduce((total, { rows, rowLength }) => total + rows.length * rowLength, 0);
        const tokens = lengths.reduce((total, length) => total + length, 0);
        expect(area).toBeLessThan(2 * tokens + 3 * 64);
      }),
    );
  });

  test.for([
    [256, [64, 128, 256]],
    [100, [32, 56, 100]],
    [6, [6]],
  ] as const)('row lengths of a context of %i', ([context, lengths]) => {
    expect(rowLengths(context)).toEqual(lengths);
  });
});

describe('examples of each step', () => {
  test('every epoch has every example once, and no step more tokens than asked', () => {
    const arbitrary = fc.record({
      lengths: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 30 }),
      tokensPerStep: fc.integer({ min: 1, max: 120 }),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(arbitrary, ({ lengths, tokensPerStep, seed }) => {
        const source = { count: lengths.length, length: (index: number) => lengths[index]! };
        const seen: number[] = [];
        for (const step of exampleSteps(source, tokensPerStep, seed)) {
          const tokens = step.reduce((total, index) => total + lengths[index]!, 0);
          expect(step.length === 1 || tokens <= tokensPerStep).toBe(true);
          seen.push(...step);
          if (seen.length >= 2 * lengths.length) break;
        }
        const all = lengths.map((_, index) => index);
        for (const epoch of [0, 1]) {
          const order = seen.slice(epoch * lengths.length, (epoch + 1) * lengths.length);
          expect(order.sort((left, right) => left - right)).toEqual(all);
        }
      }),
    );
  });

  test('epochs and seeds have orders of their own', () => {
    const source = { count: 30, length: () => 1 };
    const orders = [1, 1, 2].map((seed) => {
      const steps = exampleSteps(source, 30, seed);
      return [steps.next().value, steps.next().value];
    });
    expect(orders[0]).toEqual(orders[1]);
    expect(orders[0]).not.toEqual(orders[2]);
    expect(orders[0]![0]).not.toEqual(orders[0]![1]);
  });
});

describe('AdamW', () => {
  const layout = parameterLayout(TINY_SHAPE);
  const entryOf = (name: string) => layout.entries.find((entry) => entry.name.endsWith(name))!;
  const changed = (weightDecay: number, gradientClipNorm: number, gradients: readonly number[]) => {
    const optimizer = new Adamw(layout, { weightDecay, gradientClipNorm });
    const parameters = new Float32Array(layout.size).fill(2);
    for (const value of gradients) {
      const gradient = new Float32Array(layout.size).fill(value);
      optimizer.step(parameters, gradient, globalNorm(gradient), 0.1);
    }
    return parameters;
  };

  test('the first step has the size of the learning rate, against the gradient', () => {
    expect(changed(0, 0, [0.003]).every((value) => Math.abs(value - 1.9) < 1e-5)).toBe(true);
    expect(changed(0, 0, [-7]).every((value) => Math.abs(value - 2.1) < 1e-5)).toBe(true);
  });

  test('the second step weighs both gradients as the moments say', () => {
    const first = (0.9 * 0.1 * 1 + 0.1 * 3) / (1 - 0.9 ** 2);
    const second = (0.95 * 0.05 * 1 + 0.05 * 9) / (1 - 0.95 ** 2);
    expect(changed(0, 0, [1, 3])[0]).toBeCloseTo(1.9 - (0.1 * first) / Math.sqrt(second), 5);
  });

  test('decay is scaled by the rate and spares norms and the embedding', () => {
    const parameters = changed(0.5, 0, [0]);
    const at = (name: string) => parameterView(parameters, entryOf(name))[0];
    expect(at('q_proj.weight')).toBeCloseTo(2 * (1 - 0.1 * 0.5), 6);
    expect(at('down_proj.weight')).toBeCloseTo(2 * (1 - 0.1 * 0.5), 6);
    expect(at('embed_tokens.weight')).toBe(2);
    expect(at('input_layernorm.weight')).toBe(2);
    expect(at('model.norm.weight')).toBe(2);
  });

  test('clipping makes a large gradient small beside later ones', () => {
    const [free, clipped] = [changed(0, 0, [100, 0.01])[0]!, changed(0, 1, [100, 0.01])[0]!];
    const unit = 1 / Math.sqrt(layout.size);
    expect(clipped).toBeCloseTo(changed(0, 0, [unit, 0.01])[0]!, 5);
    expect(Math.abs(free - clipped)).toBeGreaterThan(1e-3);
  });
});

test('the learning rate warms up, then stays or falls to a tenth', () => {
  const plan = { learningRate: 2, warmupSteps: 4, steps: 24 };
  const rates = (schedule: 'constant' | 'linear') =>
    [1, 2, 4, 14, 24].map((step) => learningRateAt(step, { ...plan, schedule }));
  expect(rates('constant')).toEqual([0.5, 1, 2, 2, 2]);
  const [first, second, third, fourth, fifth] = rates('linear');
  expect([first, second, third]).toEqual([0.5, 1, 2]);
  expect(fourth).toBeCloseTo(1.1, 12);
  expect(fifth).toBeCloseTo(0.2, 12);
  expect(learningRateAt(1, { learningRate: 2, warmupSteps: 0, steps: 1, schedule: 'linear' })).toBeCloseTo(0.2, 12);
});

test('fresh weights depend on the seed alone and have the variance of their fan-in', () => {
  const shape = { ...TINY_SHAPE, hiddenSize: 64, feedForwardSize: 128, vocabularySize: 100 };
  const parameters = initialParameters(shape, 4);
  expect(initialParameters(shape, 4)).toEqual(parameters);
  expect(initialParameters(shape, 5)).not.toEqual(parameters);
  for (const entry of parameterLayout(shape).entries) {
    const view = parameterView(parameters, entry);
    const deviation = Math.sqrt(view.reduce((total, value) => total + value * value, 0) / view.length);
    const depth = /o_proj|down_proj/.test(entry.name) ? 2 * shape.layers : 1;
    const expected = entry.shape.length === 1 ? 1 : 1 / Math.sqrt(entry.shape[1]! * depth);
    expect(deviation / expected, entry.name).toBeGreaterThan(0.9);
    expect(deviation / expected, entry.name).toBeLessThan(1.1);
  }
});
