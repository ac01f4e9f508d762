/** What is the same sample, and what is the same statement. */
import { describe, expect, it } from 'vitest';
import { dedupeSamples, statementKey } from '../../selfplay/dedupe.ts';

const raw = (text: string, index: number) => ({
  statementId: 's',
  index,
  text,
  tokens: 3,
  logprob: -1,
  seed: 100 + index,
  finish: 'stop' as const,
});

it('equal proofs are one sample with their multiplicity, whatever their outer indentation', () => {
  const samples = dedupeSamples([raw('rfl', 1), raw('  rfl\n', 2), raw('simp', 3)], 'm');
  expect(samples.map(({ proof, multiplicity, seed, indices }) => [proof, multiplicity, seed, indices])).toEqual([
    ['rfl', 2, 101, [1, 2]],
    ['simp', 1, 103, [3]],
  ]);
});

describe('the key of a statement', () => {
  const key = statementKey(null, 'theorem a (n m : Nat) (h : n = m) : m = n');
  it('is the same under another name, other binder names and other white space', () => {
    expect(statementKey(null, 'theorem b  (x y : Nat)\n (e : x = y) : y = x')).toBe(key);
  });
  it('is another for another type, or under another header', () => {
    expect(statementKey(null, 'theorem b (x y : Nat) (e : x = y) : x = y')).not.toBe(key);
    expect(statementKey('import Stp', 'theorem a (n m : Nat) (h : n = m) : m = n')).not.toBe(key);
  });
});
