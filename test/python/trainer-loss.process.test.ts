/**
 * Tests that the PyTorch trainer computes on packed rows what transformers computes on each example alone, for every family of
 * models that this project names. Costs about 15 s of CPU where PyTorch is installed, most of it loading it.
 */

import { temporaryDirectory } from '@stp/language-model/testing';
import { expect, it } from 'vitest';
import { device, runPython, skipsPython } from './python.ts';

/** float32 on both sides, in another order of summation. */
const DIFFERENCE_MAX = 1e-5;
/** One example a row: such models carry a state from one example to the next. */
const UNPACKED = ['mamba'];
const FAMILIES = ['llama', 'qwen2', 'qwen3', 'mistral', 'gpt2', ...UNPACKED];

type Difference = { readonly loss: number; readonly gradient: number };
/** `flex`: on a GPU, for the families that have it. */
type Answer = Record<'plain' | 'recomputed' | 'eager', Difference> & {
  readonly flex?: Difference;
  readonly loss: number;
  readonly largest: number;
  readonly packed: boolean;
  readonly mixed?: number;
};

it.skipIf(skipsPython('loss and gradients of the trainer'))(
  'loss and gradients are those of transformers, however rows are packed, recomputed and attended to',
  async () => {
    const asked = { directory: await temporaryDirectory(), families: FAMILIES, seed: 5, device };
    const answers = (await runPython('trainer_loss.py', asked)) as Record<string, Answer>;
    expect(Object.keys(answers)).toEqual(FAMILIES);
    for (const [family, { loss, largest, packed, mixed, ...ways }] of Object.entries(answers)) {
      expect(loss, family).toBeGreaterThan(1);
      expect(largest, family).toBeGreaterThan(0.01);
      for (const [way, difference] of Object.entries(ways)) {
        expect(difference.loss, `${family}, ${way}`).toBeLessThan(DIFFERENCE_MAX);
        expect(difference.gradient, `${family}, ${way}`).toBeLessThan(DIFFERENCE_MAX * Math.max(1, largest));
      }
      expect(packed, family).toBe(!UNPACKED.includes(family));
      // The comparison would notice examples that see one another.
      if (packed) expect(mixed, family).toBeGreaterThan(1e-3);
    }
  },
);
