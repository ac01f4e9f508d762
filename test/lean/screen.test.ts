/** What the screens refuse, what they let through, and where a block is moved. No Lean; under a second. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openedNamespaces, screenHeader } from '../../lean/screen/screen-header.ts';
import { PROOF_COLUMN, screenProof } from '../../lean/screen/screen-proof.ts';
import { screenStatement } from '../../lean/screen/screen-statement.ts';
import { tokenize } from '../../lean/screen/tokenizer.ts';

function refusalOf(proof: string): string {
  const screened = screenProof(proof);
  return screened.accepted
    ? 'accepted'
    : `${screened.refusal.kind} ${screened.refusal.line}:${screened.refusal.column}`;
}

describe('proofs', () => {
  test.each([
    '  exact ⟨fun h => h.1, by omega⟩',
    "  have sorry' := h\n  exact sorry'",
    '  simp [foo.axiom, «end»]',
    '  -- sorry, this is #eval only a comment\n  rfl',
    '  exact (by decide : "sorry" = "sorry")',
    '  set_option maxRecDepth 4000 in\n  simp',
    '  open Nat in\n  simp',
    '  calc a\n    _ = b := h\n    _ ≤ c := by omega',
    '  exact f (start := 1) (stop := 2) h',
    '  intro stop trace library\n  simp [stop, trace]',
    '  match n with\n  | 0 => rfl\n  | n + 1 => simp [f]',
    "  exact xs[0]'(by simp)",
    '  refine ⟨_, ?_⟩ <;> simp_all',
  ])('lets through %j', (proof) => {
    expect(refusalOf(proof)).toBe('accepted');
  });

  test.each([
    ['  sorry', 'sorry 1:2'],
    ['  rfl\n  admit', 'sorry 2:2'],
    ['  exact «sorryAx» _', 'sorry 1:8'],
    ['  skip\n  stop\n  rfl', 'sorry 2:2'],
    ['  decide +native', 'forbidden 1:10'],
    ['  simp +suggestions', 'forbidden 1:8'],
    ['  first | (sleep 10) | rfl', 'forbidden 1:11'],
    ['  rfl\n#eval 1', 'forbidden 2:0'],
    ['  exact (rfl', 'forbidden 1:8'],
    ['  simp) (', 'forbidden 1:6'],
    ['  set_option maxHeartbeats 200001 in simp', 'forbidden 1:2'],
    ['  exact f//- x', 'forbidden 1:10'],
    ['  rfl\u200b', 'forbidden 1:5'],
    ['', 'forbidden 1:0'],
  ])('refuses %j', (proof, expected) => {
    expect(refusalOf(proof)).toBe(expected);
  });

  test('a text of a megabyte is refused unread', () => {
    const screened = screenProof('('.repeat(1_048_576));
    expect(screened).toMatchObject({ accepted: false, refusal: { kind: 'forbidden', line: 1, column: 0 } });
  });

  test('what is accepted starts at its column, keeps its words, and never holds a refused character', () => {
    const words = fc.constantFrom(
      'simp',
      'exact',
      'h',
      '(',
      ')',
      '"a\n b"',
      '\n',
      '  ',
      '    ',
      '\n  ',
      '·',
      '⟨',
      '⟩',
      '-- c\n',
    );
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 30 }).map((list) => list.join(' ')),
        (proof) => {
          const screened = screenProof(proof);
          if (!screened.accepted) return;
          const tokens = tokenize(screened.text);
          const first = tokens.find(({ kind }) => kind !== 'comment')!;
          const lineStart = screened.text.lastIndexOf('\n', first.start - 1) + 1;
          expect(first.start - lineStart).toBe(PROOF_COLUMN);
          const texts = (list: typeof tokens) => list.map(({ text }) => text.replace(/^(--[^\n]*)$/, '$1').trim());
          expect(texts(tokens)).toEqual(texts(tokenize(proof)));
        },
      ),
      { numRuns: 2_000, seed: 4 },
    );
  });

  test('a block moves as a whole and strings keep their lines', () => {
    expect(screenProof('induction n with\n| zero => rfl\n| succ n ih =>\n  simp\n')).toMatchObject({
      text: '  induction n with\n  | zero => rfl\n  | succ n ih =>\n    simp',
    });
    expect(screenProof('\n      simp\n        at h\n')).toMatchObject({
      text: '  simp\n    at h',
      linesDropped: 1,
      columnsAdded: -4,
    });
    expect(screenProof('    exact "a\n      b"\n    simp')).toMatchObject({ text: '  exact "a\n      b"\n  simp' });
  });
});

describe('random texts', () => {
  const pieces = [
    '"',
    "'",
    '/-',
    '-/',
    '--',
    '{',
    '}',
    's!"',
    '«',
    '»',
    '\n',
    ' ',
    'theorem',
    'x',
    ':',
    ':=',
    '0b1',
    '(',
    ')',
    '#',
    '@[',
    'set_option',
  ];
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((list) => list.join('')),
  );

  test('are refused or accepted, never a fault, with a place within the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        screenHeader(text);
        for (const screened of [screenProof(text), screenStatement(text), screenStatement(`theorem x ${text}`)]) {
          if (!screened.accepted) expect(screened.refusal.line).toBeLessThanOrEqual(text.split('\n').length);
        }
      }),
      { numRuns: 2_000, seed: 5 },
    );
  });
});

describe('statements', () => {
  test('the name is taken off and universe parameters stay', () => {
    expect(screenStatement('theorem foo.{u} (α : Type u) : α = α')).toEqual({
      accepted: true,
      name: 'foo',
      signature: '.{u} (α : Type u) : α = α',
    });
  });

  test.each([
    'theorem a : let x := 1; x = 1',
    'theorem a (f : Nat → Nat) : ∀ x, f x = f x',
    'theorem a (h : x = (fun y => y) 1) : True',
    'theorem «odd name» : True',
    '  theorem a\n  (n : Nat)\n  : n = n',
  ])('lets through %j', (statement) => {
    expect(screenStatement(statement).accepted).toBe(true);
  });

  test.each([
    'theorem a : True := trivial',
    'theorem a : let x := 1; x = 1 := rfl',
    'theorem a : True := let x := trivial; x',
    'theorem a : True where x := 1',
    'theorem a',
    'theorem : True',
    'def a : True',
    'theorem a : True theorem b : True',
    'theorem a (n : Nat',
  ])('refuses %j', (statement) => {
    expect(screenStatement(statement).accepted).toBe(false);
  });
});

describe('headers', () => {
  test.each([
    '',
    'import Mathlib\nimport Aesop\nset_option maxHeartbeats 400000\nopen BigOperators Real Nat',
    'open scoped Nat',
    '-- a\nimport A',
  ])('lets through %j', (header) => {
    expect(screenHeader(header)).toBeNull();
  });

  test.each([
    'axiom x : False',
    'import A\nlocal notation "a" => b',
    'set_option debug.skipKernelTC true',
    'open Nat\n#eval 1',
    'def x := 1',
    '@[simp] x',
  ])('refuses %j', (header) => {
    expect(screenHeader(header)).toMatch(/^header:\d+:\d+: /);
  });

  test('opened namespaces are found', () => {
    expect(openedNamespaces('import A\nopen Nat List\nopen scoped Foo\nnamespace Bar')).toEqual([
      'Nat',
      'List',
      'Foo',
      'Bar',
    ]);
  });
});
