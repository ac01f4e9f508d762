/** Tests what a configuration that trains by reward must agree with, and what its presets say. */
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
  expect(config.conjectures).toEqual({ source: 'none' });
});

const JUDGE = { 'objective.rewards.judge.judges': [{ url: 'http://localhost:1/v1', model: 'm' }] };

it.each([
  ['grpo', { 'conjectures.source': 'random', 'conjectures.perRoundMax': 5 }, 'conjectures.source: is not none'],
  ['grpo', { 'conjectures.perRoundMax': 5 }, 'perRoundMax'],
  ['grpo', { 'prover.mode': 'walks' }, 'prover.mode: is walks'],
  ['gflownet', { 'prover.mode': 'whole' }, 'prover.mode: is whole'],
  ['grpo', { 'objective.rewards.lean': null }, 'name a source at least'],
  ['grpo', { 'objective.rewards.lean': null, ...JUDGE }, 'prover.mode=judged'],
  ['judge-grpo', { 'objective.rewards.lean.weight': 1 }, 'must be null with prover.mode=judged'],
  ['judge-grpo', { 'evaluation.samplesPerStatement': 4 }, 'must be 0 with prover.mode=judged'],
  ['judge-grpo', { 'prover.slots': true }, 'prover.slots'],
  ['smoke', { 'prover.mode': 'judged', 'prover.slots': false }, 'objective.kind: must be grpo'],
  ['smoke', { 'objective.kind': 'gfn' }, 'prover.mode: is whole'],
] as const)('%s with %o is refused', (preset, set, words) => {
  expect(() => resolveConfig({ preset, set })).toThrow(words);
});
