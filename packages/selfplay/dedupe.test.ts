/** Which samples are equal, and which statements are equal. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { statementId } from '@stp/config/ids';
import { extractLibrary } from '@stp/lean-explore';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dedupeSamples, heldOutKeysOf, keyUnderAnyHeader, statementKey } from './dedupe.ts';

const raw = (text: string, index: number) => ({
  statementId: 's',
  index,
  text,
  tokens: 3,
  logprob: -1,
  seed: 100 + index,
  finish: 'stop' as const,
});

it('equal proofs with other outer indentation are one sample with its multiplicity', () => {
  const samples = dedupeSamples([raw('rfl', 1), raw('  rfl\n', 2), raw('simp', 3)], 'm');
  expect(samples.map(({ proof, multiplicity, seed, indices }) => [proof, multiplicity, seed, indices])).toEqual([
    ['rfl', 2, 101, [1, 2]],
    ['simp', 1, 103, [3]],
  ]);
});

describe('a statement that uses definitions of its header', () => {
  const stated = (header: string, statement = 'theorem a (n : Nat) : answer n = n') => ({ header, statement });
  const ONE = stated('import A\n\ndef answer (n : Nat) := n -- one');
  const RENAMED = stated('import A\n\ndef reply (n : Nat) := n -- one', 'theorem b (m : Nat) : reply m = m');
  const OTHER = stated('import A\n\ndef answer (n : Nat) := n + 1 -- one');
  const ELSEWHERE = stated('import B\nopen C\nnoncomputable  def answer (n : Nat)  :=\n  n');
  const PLAIN = stated('import A');
  const FIELD = stated(ONE.header, 'theorem a (n : Nat) : n.answer = n');
  const keys = [ONE, RENAMED, OTHER, ELSEWHERE, PLAIN, FIELD].map(({ header, statement }) =>
    statementKey(header, statement),
  );

  it('is the same under other names of these, and another one with another body', () => {
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(5);
    const renamed = stated(RENAMED.header, 'theorem b (n : Nat) : reply n = n');
    const ids = [ONE, renamed, OTHER, ELSEWHERE, PLAIN].map((one) => statementId(one.header, one.statement));
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(4);
  });

  it('is the same under other imports and opens where these do not count', () => {
    const [one, renamed, other, elsewhere, plain] = [ONE, RENAMED, OTHER, ELSEWHERE, PLAIN].map(keyUnderAnyHeader);
    expect([renamed, elsewhere]).toEqual([one, one]);
    expect(new Set([one, other, plain]).size).toBe(3);
  });

  it('is the same however they are spread over lines', () => {
    const onOneLine = stated('import A open C def answer (n : Nat) := n');
    const indented = stated(
      'import A\n\n  /- a - -/ def  reply /-- doc -/\n (n : Nat) := n\nopen C',
      RENAMED.statement,
    );
    expect([onOneLine, indented].map(keyUnderAnyHeader)).toEqual([ONE, ONE].map(keyUnderAnyHeader));
    const two = (names: readonly [string, string]) =>
      stated(
        `import A def ${names[0]} := 1 def ${names[1]} := "a  def b"`,
        `theorem t : ${names[0]} = 1 ∧ ${names[1]} = ""`,
      );
    const [first, renamed, swapped] = [two(['f', 'g']), two(['h', 'k']), two(['g', 'f'])].map(keyUnderAnyHeader);
    expect([renamed, swapped]).toEqual([first, first]);
  });

  it('is held out with them and by its text alone', () => {
    expect(heldOutKeysOf(ONE)).toEqual([keyUnderAnyHeader(ONE), keyUnderAnyHeader(PLAIN)]);
    expect(heldOutKeysOf(PLAIN)).toEqual([statementKey(null, PLAIN.statement)]);
  });
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
  const same = (...texts: string[]) =>
    expect(new Set(texts.map((text) => statementKey(null, text))).size, texts[0]).toBe(1);
  const distinct = (...texts: string[]) =>
    expect(new Set(texts.map((text) => statementKey(null, text))).size, texts[0]).toBe(texts.length);

  it('is the same for a leading quantifier as for binders, however they are grouped', () => {
    same(
      'theorem a : ∀ n : Nat, n + 0 = n',
      'theorem a : ∀ m : Nat, m + 0 = m',
      'theorem a (k : Nat) : k + 0 = k',
      'theorem a {k : Nat} : k + 0 = k',
    );
    same(
      'theorem a (x y : Nat) : x = y',
      'theorem a (x : Nat) (y : Nat) : x = y',
      'theorem a (u : Nat) : ∀ (v : Nat), u = v',
      'theorem a : ∀ p q : Nat, p = q',
    );
  });
  it('is the same up to the variables of quantifiers, functions, sets, sums and let', () => {
    same('theorem a : ∃ n, n > 3', 'theorem a : ∃ k, k > 3');
    same(
      'theorem a : ∃ x y : Nat, x < y',
      'theorem a : ∃ u : Nat, ∃ v : Nat, u < v',
      'theorem a : ∃ (u v : Nat), u < v',
    );
    same('theorem a : ∃! x, x = 1', 'theorem a : ∃! y, y = 1');
    same('theorem a (s : S) : ∀ x ∈ s, 0 < x', 'theorem a (t : S) : ∀ y ∈ t, 0 < y');
    same('theorem a : ∀ᶠ n in atTop, 1 < n', 'theorem a : ∀ᶠ m in atTop, 1 < m');
    same('theorem a : (fun x y => x) = k', 'theorem a : (λ u v => u) = k', 'theorem a : (fun u v ↦ u) = k');
    same('theorem a : {x : Nat | x > 1} = s', 'theorem a : {y : Nat | y > 1} = s');
    same('theorem a : ∑ i in range 3, i = 3', 'theorem a : ∑ j in range 3, j = 3');
    same('theorem a (n : Nat) : let k := n; k = n', 'theorem a (m : Nat) : let j := m; j = m');
  });
  it('is another where a variable is another, or free, or two words are one', () => {
    distinct(
      'theorem a : ∀ n m : Nat, n - m = 0',
      'theorem a : ∀ n m : Nat, m - n = 0',
      'theorem a : ∀ n m : Nat, n - n = 0',
    );
    distinct(
      'theorem a : ∀ n : Nat, ∃ m, n < m',
      'theorem a : ∀ n : Nat, ∃ m, m < n',
      'theorem a : ∃ n : Nat, ∃ m, n < m',
    );
    distinct('theorem a (x0 : Nat) : f x0 1 = 1', 'theorem a (x0 : Nat) : f x01 = 1');
    distinct('theorem a (n : Nat) : g n = 1', 'theorem a (n : Nat) : gn = 1');
    // A shadowed variable denotes the outer one again after its binder's bracket, and after the comma of a list.
    distinct('theorem a (y x : Nat) : [fun x => x, x] = l', 'theorem a (x y : Nat) : [fun x => x, x] = l');
    distinct('theorem a (y x : Nat) : (∃ x, x = 1) ∧ x = 2', 'theorem a (x y : Nat) : (∃ x, x = 1) ∧ x = 2');
    // No binder, but a term with its type.
    distinct('theorem a : (c : Nat) = 1', 'theorem a : (d : Nat) = 1');
  });
  it('takes what is not balanced, or too long to be read, as it is written', () => {
    distinct('theorem a (n : Nat) : n) = 1', 'theorem a (m : Nat) : m) = 1', 'theorem a (n : Nat) : n) = 2');
    const deep = (open: number) => `theorem a : ${'('.repeat(open)}x${')'.repeat(open)} = x`;
    distinct(deep(1_900), deep(1_901), deep(100_000), deep(100_001));
  });

  it('is shared by renamed statements, and by no others', () => {
    const namings = fc.tuple(
      fc.shuffledSubarray(NAMES, { minLength: NAMES.length }),
      fc.shuffledSubarray(NAMES, { minLength: NAMES.length }),
    );
    fc.assert(
      fc.property(termOf(0), termOf(0), namings, (one, other, [names, others]) => {
        const text = `theorem a : ${written(one, names, 0)} = c`;
        const key = statementKey(null, text);
        expect(statementKey(null, `theorem b : ${written(one, others, 0)} = c`)).toBe(key);
        const different = written(one, names, 0) !== written(other, names, 0);
        if (different) expect(statementKey(null, `theorem b : ${written(other, others, 0)} = c`)).not.toBe(key);
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it('is one a statement in the problem sets and the library, none of which says what another does', async () => {
    const data = new URL('../../data/', import.meta.url);
    const { theorems } = await extractLibrary(fileURLToPath(new URL('library', data)));
    const all = theorems.map(({ name, statement }) => ({ name, statement }));
    for (const set of readdirSync(new URL('problems', data), { withFileTypes: true }))
      if (set.isDirectory())
        for (const line of readFileSync(new URL(`problems/${set.name}/statements.jsonl`, data), 'utf8')
          .trim()
          .split('\n'))
          all.push(JSON.parse(line));
    expect(all.length).toBeGreaterThan(1_000);
    const groups = Map.groupBy(all, ({ statement }) => statementKey(null, statement)).values();
    const shared = [...groups].filter((group) => group.length > 1).map((group) => group.map(({ name }) => name));
    expect(shared).toEqual([]);
  });
});

/** A term whose variables are numbers of binders around it. */
type Term =
  | { readonly kind: 'leaf'; readonly text: string }
  | { readonly kind: 'variable'; readonly level: number }
  | { readonly kind: 'sum' | 'call'; readonly parts: readonly [Term, Term] }
  | { readonly kind: 'binder'; readonly opening: string; readonly middle: string; readonly body: Term };

/** More than terms are deep; some look like what a key might number variables with. */
const NAMES = ['n', 'x', 'x0', 'x1', "h'", 'α', 'k₁', 'ys', '«a b»', 'f0'];
const BINDERS = [
  ['∀ ', ' : Nat, '],
  ['∀ ', ', '],
  ['∃ ', ', '],
  ['∃ ', ' ∈ s, '],
  ['fun ', ' => '],
  ['fun (', ' : Nat) => '],
  ['∑ ', ' in t, '],
] as const;
const DEPTH_MAX = 5;

function termOf(depth: number): fc.Arbitrary<Term> {
  const leaf = fc.constantFrom('0', '1', 'c').map((text): Term => ({ kind: 'leaf', text }));
  const level = depth === 0 ? leaf : fc.nat(depth - 1).map((at): Term => ({ kind: 'variable', level: at }));
  if (depth === DEPTH_MAX) return fc.oneof(leaf, level);
  const inner = fc.constant(null).chain(() => termOf(depth + 1));
  const parts = fc.tuple(fc.oneof(leaf, level), fc.oneof(level, leaf));
  return fc.oneof(
    { weight: 1, arbitrary: leaf },
    { weight: 1, arbitrary: level },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom('sum', 'call'), parts).map(([kind, both]): Term => ({ kind, parts: both })),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(...BINDERS), inner)
        .map(([[opening, middle], body]): Term => ({ kind: 'binder', opening, middle, body })),
    },
  );
}

function written(term: Term, names: readonly string[], depth: number): string {
  if (term.kind === 'leaf') return term.text;
  if (term.kind === 'variable') return names[term.level]!;
  if (term.kind === 'binder')
    return `(${term.opening}${names[depth]!}${term.middle}${written(term.body, names, depth + 1)})`;
  const [left, right] = term.parts.map((part) => written(part, names, depth));
  return term.kind === 'sum' ? `(${left} + ${right})` : `(g ${left} ${right})`;
}
