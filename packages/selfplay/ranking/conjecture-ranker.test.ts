/** Tests what a ranker is told of a conjecture, and that it learns which ones pay. */
import { describe, expect, it } from 'vitest';
import { besideOf, conjectureFeatures } from './conjecture-features.ts';
import { type RankerExample, rankerScore, trainRanker } from './conjecture-ranker.ts';

const TARGET = besideOf('theorem t (xs ys : List Nat) : rev (append xs ys) = append (rev ys) (rev xs)');
const FOUND = { statements: 1, isCore: false };
const of = (text: string, found = FOUND) => conjectureFeatures(`theorem c ${text}`, TARGET, found);

describe('the features of a conjecture', () => {
  it('tell its form, and which functions the target has too', () => {
    const features = of('{α : Type} (xs : List α) : append xs ([] : List α) = xs', { statements: 4, isCore: false });
    expect(Object.fromEntries(features)).toEqual({
      bias: 1,
      statements: 0.4,
      left: 3 / 8,
      right: 1 / 8,
      'size over target': 4 / 10,
      functions: 1 / 4,
      variables: 1 / 3,
      repeats: 1 / 4,
      'right is a variable': 1,
      shrinks: 1,
      'constructor left': 1,
      shared: 1,
      covers: 1 / 2,
      'head shared': 1,
      'any type': 1,
    });
  });
  it('do not depend on names', () => {
    const renamed = besideOf('theorem t (a b : List Nat) : turn (join a b) = join (turn b) (turn a)');
    const text = (f: string, g: string): string => `theorem c (xs : List Nat) : ${f} (${g} (${f} xs)) = ${g} xs`;
    expect(conjectureFeatures(text('turn', 'id'), renamed, FOUND)).toEqual(
      conjectureFeatures(text('rev', 'same'), TARGET, FOUND),
    );
  });
  it('say who found it, also where the text is no statement', () => {
    expect(Object.fromEntries(conjectureFeatures('nonsense', TARGET))).toEqual({ bias: 1, written: 1 });
    expect(of('(n : Nat) : f n = Nat.succ n', { statements: 1, isCore: true }).get('core')).toBe(1);
    expect(of('(n : Nat) : f n = true → g n = n').get('conditional')).toBe(1);
  });
});

describe('a ranker', () => {
  const commutes = (f: string): string => `(n m : Nat) : ${f} n m = ${f} m n`;
  const repeats = (f: string): string => `(n m : Nat) : ${f} n (${f} n m) = ${f} n m`;
  const examples = ['a', 'b', 'd', 'e'].flatMap((name): RankerExample[] => [
    { features: of(commutes(name)), pays: true, weight: 1 },
    { features: of(repeats(name)), pays: false, weight: 1 },
  ]);

  it('learns a rule, applies it to other functions, and is the same bit for bit each time', () => {
    const weights = trainRanker(examples);
    expect(rankerScore(of(commutes('z')), weights)).toBeGreaterThan(0);
    expect(rankerScore(of(repeats('z')), weights)).toBeLessThan(0);
    expect(trainRanker(examples)).toEqual(weights);
    const turned = trainRanker(examples.map((example) => ({ ...example, pays: !example.pays })));
    expect(rankerScore(of(commutes('z')), turned)).toBeLessThan(0);
  });
  it('ends where the derivative is zero', () => {
    // One feature, three of four pay: w with 4 · σ(w) − 3 + w = 0.
    const one = (pays: boolean): RankerExample => ({ features: new Map([['bias', 1]]), pays, weight: 1 });
    const w = trainRanker([one(true), one(true), one(true), one(false)]).get('bias')!;
    expect(4 / (1 + Math.exp(-w)) - 3 + w).toBeCloseTo(0, 12);
  });
  it('follows the heavier examples where they disagree', () => {
    const [pays, fails] = [true, false].map((its) => ({ features: of(commutes('a')), pays: its, weight: its ? 2 : 1 }));
    expect(rankerScore(of(commutes('a')), trainRanker([pays!, fails!]))).toBeGreaterThan(0);
  });
  it('learns nothing from examples of one sort', () => {
    expect(trainRanker([])).toEqual(new Map());
    expect(trainRanker(examples.filter(({ pays }) => !pays))).toEqual(new Map());
  });
});
