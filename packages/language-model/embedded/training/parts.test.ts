/** The parts of training that have no graph: packing, step planning, the learning rate, fresh weights. Costs about 1 s. */
import { stat } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MODEL_SIZES } from '../../testing/model-sizes.ts';
import { TINY_SHAPE } from '../../testing/small-model.ts';
import type { TrainRequest } from '../../trainer.ts';
import { trainingSilenceMs } from '../process/training-silence.ts';
import { initialParameters } from './initial-parameters.ts';
import { learningRateAt } from './learning-rate.ts';
import { packRows, rowLengths } from './pack-rows.ts';
import type { TokenisedExample } from './packed-batch.ts';
import { parameterLayout, parameterView } from './parameter-layout.ts';
import { DATA_START, exampleSteps } from './schedule-examples.ts';

const MICRO_BATCH_TOKENS = 1024;

const examplesOf = (lengths: readonly number[]): TokenisedExample[] =>
  lengths.map((length) => ({ tokens: new Array<number>(length).fill(1), promptLength: 1, weights: [] }));

test('a training may be silent for as long as its model and its steps ask for', async () => {
  const request = { shape: MODEL_SIZES['15M'], tokensPerStep: 10_000, heldOutPath: null } as unknown as TrainRequest;
  const limitMs = await trainingSilenceMs(request);
  // Fifteen million weights at ten thousand tokens: two steps of 15 minutes each on a machine of 1 GFLOP/s.
  expect(limitMs).toBeGreaterThan(2 * 900_000);
  expect(limitMs).toBeLessThan(2 * 900_000 + 600_000);
  const { heldOutPath, bytes } = { heldOutPath: import.meta.filename, bytes: (await stat(import.meta.filename)).size };
  const scoringMs = (await trainingSilenceMs({ ...request, heldOutPath })) - limitMs;
  expect(scoringMs / bytes).toBeCloseTo((2 * 15_145_344) / 1e6, 2);
  // A timer with a longer time fires at once.
  expect(await trainingSilenceMs({ ...request, tokensPerStep: 100_000_000 })).toBe(2 ** 31 - 1);
});

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
      { seed: 1 },
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
      { seed: 2 },
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
        for (const { indices } of exampleSteps(source, tokensPerStep, seed, DATA_START)) {
          const tokens = indices.reduce((total, index) => total + lengths[index]!, 0);
          expect(indices.length === 1 || tokens <= tokensPerStep).toBe(true);
          seen.push(...indices);
          if (seen.length >= 2 * lengths.length) break;
        }
        const all = lengths.map((_, index) => index);
        for (const epoch of [0, 1]) {
          const order = seen.slice(epoch * lengths.length, (epoch + 1) * lengths.length);
          expect(order.sort((left, right) => left - right)).toEqual(all);
        }
      }),
      { seed: 3 },
    );
  });

  test('the steps after any step are found again from its cursor', () => {
    const arbitrary = fc.record({
      lengths: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
      tokensPerStep: fc.integer({ min: 1, max: 200 }),
      seed: fc.nat(),
      done: fc.integer({ min: 1, max: 12 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ lengths, tokensPerStep, seed, done }) => {
        const source = { count: lengths.length, length: (index: number) => lengths[index]! };
        const whole = exampleSteps(source, tokensPerStep, seed, DATA_START);
        let cursor = DATA_START;
        for (let step = 0; step < done; step += 1) cursor = whole.next().value.next;
        const resumed = exampleSteps(source, tokensPerStep, seed, cursor);
        for (let step = 0; step < 5; step += 1) expect(resumed.next().value).toEqual(whole.next().value);
      }),
      { seed: 4 },
    );
  });

  test('epochs and seeds have orders of their own', () => {
    const source = { count: 30, length: () => 1 };
    const orders = [1, 1, 2].map((seed) => {
      const steps = exampleSteps(source, 30, seed, DATA_START);
      return [steps.next().value.indices, steps.next().value.indices];
    });
    expect(orders[0]).toEqual(orders[1]);
    expect(orders[0]).not.toEqual(orders[2]);
    expect(orders[0]![0]).not.toEqual(orders[0]![1]);
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
