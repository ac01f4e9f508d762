/** The guide's rule: related and clean conjectures score high, the padded ones that SGS warns of score low. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanliness, countSymbols, guideScore, statementSymbols } from './guide.ts';

const TARGET = 'theorem t (xs ys : List Nat) : (xs ++ ys).reverse = ys.reverse ++ xs.reverse';
const dataset = [
  TARGET,
  'theorem a (n m : Nat) : n + m = m + n',
  'theorem b (n : Nat) : n * 0 = 0',
  'theorem c (xs : List Nat) : xs ++ [] = xs',
].map((statement) => ({ statement }));
const score = async (conjecture: string): Promise<number> =>
  guideScore(conjecture, TARGET, await countSymbols(dataset));

describe('guide', () => {
  it('reads constants, operators and methods, not the variables that a statement binds', () => {
    expect([...statementSymbols(TARGET)].sort()).toEqual(['+', 'List', 'Nat', 'reverse']);
  });
  it('prefers what shares rare symbols with the target', async () => {
    const near = await score('theorem x (xs : List Nat) : (xs ++ []).reverse = [] ++ xs.reverse');
    const far = await score('theorem x (n m : Nat) : n * m = m * n');
    const common = await score('theorem x (xs : List Nat) : xs ++ [] = xs');
    expect(near).toBeGreaterThan(common);
    expect(common).toBeGreaterThan(far);
    expect(await score(TARGET.replace('theorem t', 'theorem x'))).toBeCloseTo(1, 12);
  });
  it('marks down length, disjunctive conclusions and hypotheses that stand twice', () => {
    const clean = 'theorem x (n m : Nat) (h : n < m) : n ≤ m';
    expect(cleanliness(clean, clean)).toBe(1);
    expect(cleanliness('theorem x (n m : Nat) (h : n < m) : n ≤ m ∨ n = 0', clean)).toBe(0.5);
    expect(cleanliness('theorem x (n m : Nat) (h i : n < m) : n ≤ m', clean)).toBe(0.5);
    expect(cleanliness(`${clean}${' ∧ n ≤ m'.repeat(20)}`, clean)).toBeLessThan(0.4);
  });
  it('lies in [0, 1] for any text', async () => {
    const counts = await countSymbols(dataset);
    const text = fc.string({ unit: fc.constantFrom(...'()[]{}:=∨∧→∀, nmxsNat+*.'), maxLength: 80 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const value = guideScore(`theorem x ${a}`, `theorem y ${b}`, counts);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }),
      { seed: 1 },
    );
  });
});
