/** The plan's formulas against sums made by hand, and its refusals. Under 1 s. */

import { resolveConfig } from '@stp/config';
import {
  embeddedTrainingMemory,
  GPUS,
  makePlan,
  memoryProblem,
  totalGib,
  whatWouldFit,
} from '@stp/language-model/plan';
import { adapterParameters, cacheBytesPerToken, parameters } from '@stp/language-model/testing';
import { describe, expect, it } from 'vitest';
import { type PlanOptions, planInput } from '../../cli/run/plan.ts';

const OPTIONS = { gpu: 'h100', gpus: 8, training: 'full', rank: 32, statements: 1_000, checkSeconds: 4 } as const;
const inputOf = (preset: string, options: Partial<PlanOptions> = {}) =>
  planInput(resolveConfig({ preset }), { ...OPTIONS, ...options } as PlanOptions);
const planOf = (preset: string, options: Partial<PlanOptions> = {}) => makePlan(inputOf(preset, options));
const figure = (preset: string, what: string, options: Partial<PlanOptions> = {}): number =>
  planOf(preset, options).figures.find((one) => one.what === what)!.value;

describe('the number of weights', () => {
  // From the model cards: Qwen3-8B, DeepSeek's 7B, Qwen2.5-1.5B, SmolLM2-135M.
  it.each([
    ['goedel-8b', 8.19e9],
    ['deepseek-7b', 6.91e9],
    ['kimina-1.5b', 1.54e9],
    ['stp-7b', 6.91e9],
    ['smollm2', 0.1345e9],
  ])('of %s is that of its model card, within one in a hundred', (preset, expected) => {
    const { all } = parameters(resolveConfig({ preset }).model);
    expect(Math.abs(all / expected - 1)).toBeLessThan(0.01);
  });

  it('of an adapter is its rank times the sides of every matrix', () => {
    const shape = {
      hiddenSize: 8,
      layers: 3,
      heads: 2,
      keyValueHeads: 1,
      feedForwardSize: 16,
      vocabularySize: 300,
      contextLength: 32,
    };
    // q and o 8×8, k and v 8×4, three of 8×16.
    expect(adapterParameters(shape, 2)).toBe(3 * 2 * (2 * 16 + 2 * 12 + 3 * 24));
    expect(cacheBytesPerToken(shape)).toBe(2 * 2 * 3 * 4);
  });
});

describe('sampling by transformers serve', () => {
  it("is no faster than its steps, which leave a small model's GPU idle", () => {
    const input = inputOf('smollm2', { gpu: 'h200', gpus: 1 });
    const tokens = makePlan(input).figures.find(({ what }) => what === 'tokens')!;
    expect(tokens.value).toBeCloseTo((128 / 0.1) * 3_600, 3);
    expect(tokens.formula).toContain('0.1 s');
    const vllm = makePlan({ ...input, sampling: { ...input.sampling, stepSecondsMin: 0 } });
    expect(vllm.figures.find(({ what }) => what === 'tokens')!.value).toBeGreaterThan(10 * tokens.value);
  });
});

describe('memory', () => {
  it('for all weights is 16 bytes for each, shared by the GPUs', () => {
    const { training } = planOf('goedel-8b');
    const states = training.filter(({ what }) => ['weights', 'gradients', 'moments'].includes(what));
    const { all } = parameters(resolveConfig({ preset: 'goedel-8b' }).model);
    expect(totalGib(states)).toBeCloseTo((16 * all) / 8 / 2 ** 30, 9);
  });
  it('for an adapter is far less, and says what each part is', () => {
    const lora = planOf('goedel-8b', { training: 'lora' });
    expect(totalGib(lora.training)).toBeLessThan(totalGib(planOf('goedel-8b').training) - 10);
    for (const { formula, gib } of lora.training) expect([formula.length > 3, gib > 0]).toEqual([true, true]);
  });
  it('for an adapter over four bits is that of the configuration, whole on each GPU', () => {
    const config = resolveConfig({ preset: 'goedel-8b', set: { 'engines.trainer.lora.quantised': 'true' } });
    const { training } = makePlan(planInput(config, { ...OPTIONS, training: 'lora' } as PlanOptions));
    const { gib, formula } = training.find(({ what }) => what === 'weights that stay')!;
    expect(gib).toBeCloseTo((0.6 * parameters(config.model).all) / 2 ** 30, 9);
    expect(formula).toBe('0.6 bytes × P, on each GPU');
  });
});

describe('memory of a training by the embedded engine', () => {
  const { model } = resolveConfig({ preset: 'smollm2' });
  const gibOf = (what: string) => embeddedTrainingMemory(model).find((part) => part.what === what)!.gib;

  it('is 56 bytes a weight, and what a micro-batch keeps', () => {
    const weights = ['weights and moments', 'their next values', 'gradients'].reduce(
      (sum, what) => sum + gibOf(what),
      0,
    );
    const count = (weights * 2 ** 30) / 56;
    // The model card's 134.5 million.
    expect(Math.abs(count / 134_515_008 - 1)).toBeLessThan(1e-6);
    const ofLayer = 7 * 576 + 4 * 1_536 + 9 * 1_024;
    expect(gibOf('activations')).toBeCloseTo((4 * 1_024 * (30 * ofLayer + 4 * 9 * 1_024)) / 2 ** 30, 9);
    expect(gibOf('logits')).toBeCloseTo((16 * 1_024 * 49_152) / 2 ** 30, 9);
  });

  it('is refused in a sentence where the machine has less', () => {
    const parts = embeddedTrainingMemory(model);
    expect(memoryProblem(parts, totalGib(parts) + 0.1)).toBeNull();
    expect(memoryProblem(parts, 8)).toMatch(
      /^training it takes about \d+\.\d GiB of memory, and this machine has 8\.0$/,
    );
  });
});

describe('a round', () => {
  it('takes as many answers as statements, conjectures, samples and turns say', () => {
    expect(figure('goedel-8b', 'answers')).toBe((1_000 + 1_000) * 8 * 3);
    expect(figure('stp-7b', 'answers')).toBe((1_000 + 1_000) * 32);
  });
  it('costs its hours on all GPUs, and keeps Lean busy with every proof', () => {
    const options = { price: 3, answerTokens: 500 };
    const hours = figure('deepseek-7b', 'round', options);
    expect(figure('deepseek-7b', 'cost', options)).toBeCloseTo(hours * 8 * 3, 9);
    expect(hours).toBeCloseTo(
      figure('deepseek-7b', 'sampling', options) + figure('deepseek-7b', 'training', options),
      9,
    );
    const proofsPerSecond = figure('deepseek-7b', 'proofs', options) / 3_600;
    expect(figure('deepseek-7b', 'Lean', options)).toBe(Math.ceil(4 * proofsPerSecond));
  });
  it('takes longer with longer answers and with fewer GPUs', () => {
    expect(figure('deepseek-7b', 'round', { answerTokens: 4_000 })).toBeGreaterThan(figure('deepseek-7b', 'round'));
    expect(figure('deepseek-7b', 'round', { gpus: 4 })).toBeGreaterThan(figure('deepseek-7b', 'round'));
  });
});

describe('what cannot fit', () => {
  it.each([
    [{ gpus: 1 }, ['--training lora']],
    [{ gpu: 'a100-40', gpus: 4 }, ['microBatchTokens', '--training lora']],
    [{ gpu: 'rtx-4090', gpus: 1 }, ['--training lora (engines.trainer.lora), --gpu a100-40']],
  ])('with %j is refused with what would, and that fits', (options, expected) => {
    const input = inputOf('goedel-8b', options as Partial<PlanOptions>);
    expect(makePlan(input).problems.length).toBeGreaterThan(0);
    expect(makePlan(input).figures).toEqual([]);
    const would = whatWouldFit(input, GPUS).join(' ');
    for (const one of expected) expect(would).toContain(one);
  });
  it('is also a number of GPUs that servers cannot share', () => {
    const input = inputOf('goedel-8b', { gpus: 3 });
    const parallel = { ...input, sampling: { ...input.sampling, tensorParallelism: 2 } };
    expect(makePlan(parallel).problems).toContain('3 GPUs cannot be cut into servers of 2');
  });
});
