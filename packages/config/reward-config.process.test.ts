/** What a configuration that trains by reward must agree with, and what its presets say. */
import { expect, it } from 'vitest';
import { resolveConfig } from './resolve.ts';

it.each([
  ['grpo', 'whole'],
  ['gflownet', 'walks'],
])('preset %s samples by %s', (preset, mode) => {
  const config = resolveConfig({ preset });
  expect(config.prover.mode).toBe(mode);
  // Importance weights compare with the distribution that was sampled.
  expect(config.sampling).toMatchObject({ temperature: 1, topP: 1 });
  expect(config.conjectures.perRoundMax).toBe(0);
});

it.each([
  ['grpo', { 'conjectures.perRoundMax': 5 }, 'conjectures.perRoundMax is not 0'],
  ['grpo', { 'prover.mode': 'walks' }, 'prover.mode is walks'],
  ['gflownet', { 'prover.mode': 'whole' }, 'prover.mode is whole'],
  ['grpo', { 'training.sftShare': 1 }, 'training.sftShare is not 0'],
  ['grpo', { 'rewards.weights': {} }, 'name a source at least'],
] as const)('%s with %o is refused', (preset, set, words) => {
  expect(() => resolveConfig({ preset, set })).toThrow(words);
});
