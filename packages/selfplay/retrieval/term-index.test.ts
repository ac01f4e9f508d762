/** Symbolic retrieval: terms, scores and order, and the measures of retrieval. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestAccessible, RetrievalScores } from './retriever.ts';
import { TermRetriever, TermTableBuilder, termsOf } from './term-index.ts';

const DOCUMENTS = [
  'theorem append_nil (xs : List α) : append xs [] = xs',
  'theorem rev_rev (xs : List α) : rev (rev xs) = xs',
  'theorem rev_append (xs ys : List α) : rev (append xs ys) = append (rev ys) (rev xs)',
  'theorem add_comm (n m : Nat) : n + m = m + n',
];
const retriever = (scoring: 'bm25' | 'rare', documents = DOCUMENTS): TermRetriever => {
  const builder = new TermTableBuilder();
  for (const document of documents) builder.add(termsOf(document));
  return new TermRetriever(builder.finish(), scoring);
};
const found = async (scoring: 'bm25' | 'rare', state: string, accessible = (_: number) => true, most = 3) => {
  const [answer] = await retriever(scoring).retrieve([{ state, accessible }], most);
  return answer!.map(({ premise }) => premise);
};

describe('terms of a text', () => {
  it('are names and operators; a dotted name gives its last part too', () => {
    expect(termsOf('⊢ Nat.succ k ≤ f (12, a) ∘ g⁻¹')).toEqual([
      'Nat.succ',
      'succ',
      'k',
      '≤',
      'f',
      '12',
      'a',
      '∘',
      'g',
      '⁻¹',
    ]);
    expect(termsOf('theorem t : a := by\n  exact fun _ => b')).not.toContain('theorem');
  });

  it('are no variables: neither those of binders nor those of hypotheses', () => {
    expect(termsOf('x y✝ : List α\nh : x = []\n⊢ rev (rev x) = x')).toEqual(['List', 'α', '=', 'rev', 'rev', '=']);
    expect(termsOf('theorem t {α : Type} (x y : List α) (f : α → α) : x.map f = y')).toEqual([
      't',
      'Type',
      'List',
      '→',
      'map',
      '=',
    ]);
  });
});

describe.each(['bm25', 'rare'] as const)('retrieval by %s', (scoring) => {
  it('puts the premise with the rare terms of the state first', async () => {
    expect((await found(scoring, 'α : Type\nzs ws : List α\n⊢ rev (append zs ws) = append (rev ws) (rev zs)'))[0]).toBe(
      2,
    );
    expect((await found(scoring, 'n m : Nat\n⊢ n + m = 3'))[0]).toBe(3);
  });

  it('gives accessible premises only, and no premise that shares no term', async () => {
    expect(await found(scoring, '⊢ rev xs', (premise) => premise !== 1)).not.toContain(1);
    expect(await found(scoring, '⊢ unheardOf')).toEqual([]);
    expect(await found(scoring, '⊢ rev (append xs ys)', () => true, 1)).toHaveLength(1);
  });
});

it('scores by BM25 as computed by hand', async () => {
  const [answer] = await retriever('bm25', ['a b', 'a a c', 'c']).retrieve([{ state: 'a', accessible: () => true }], 3);
  const rarity = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5));
  const score = (count: number, length: number): number =>
    (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / 2));
  expect(answer).toEqual([
    { premise: 1, score: expect.closeTo(score(2, 3), 12) },
    { premise: 0, score: expect.closeTo(score(1, 2), 12) },
  ]);
});

it('the best of any scores are those of a sort', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -2, max: 9 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      (all, most) => {
        const scored = all.map((score, premise) => ({ premise, score }));
        const accessible = (premise: number): boolean => premise % 3 !== 1;
        const expected = scored
          .filter(({ premise }) => accessible(premise))
          .sort((a, b) => b.score - a.score || a.premise - b.premise)
          .slice(0, most);
        expect(bestAccessible(scored, accessible, most)).toEqual(expected);
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

it('measures recall by the positives of a query, and the rank of the first hit', () => {
  const scores = new RetrievalScores();
  expect(scores.means).toEqual({ queries: 0, recallAt1: 0, recallAt10: 0, mrr: 0 });
  scores.add([4, 1, 2], new Set([4, 2]));
  scores.add([3, 9], new Set([9]));
  scores.add([], new Set([1]));
  scores.add([...Array.from({ length: 10 }, (_, index) => index), 77], new Set([77]));
  expect(scores.means).toEqual({
    queries: 4,
    recallAt1: expect.closeTo(0.5 / 4, 12),
    recallAt10: expect.closeTo((1 + 1) / 4, 12),
    mrr: expect.closeTo((1 + 1 / 2 + 0 + 1 / 11) / 4, 12),
  });
});
