/** Tests what the screens refuse and accept, and how a block is indented. No Lean; under a second. */

import { openedNamespaces } from '@stp/lean-text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closingLines, DEFINITION_OPTIONS, hasDefinitions } from '../header.ts';
import { screenHeader } from './screen-header.ts';
import { screenProof } from './screen-proof.ts';
import { screenStatement } from './screen-statement.ts';

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
    '  simp [foo.axiom]',
    '  -- sorry, this is #eval only a comment\n  rfl',
    '  exact (by decide : "a b, c." = "")',
    "  exact (by decide : 'a' = 'b') [\"x\", \"y\"] ('7')",
    "  simp [f '' s, f ⁻¹' (t), ∑' n, x']",
    '  exact absurd (n%2 + 1_000 + 0x1F + 1.5e3) (xs.2.1) h.1.symm',
    '  set_option synthInstance.maxHeartbeats 40000 in infer_instance',
    '  simp (config := { decide := true, maxSteps := 500 }) [f]',
    '  simp +arith (config := {}) only [f]',
    '  rw (config := { occs := .pos [1, 2] }) [f]',
    '  simp (maxSteps := 100) (disch := intro x; omega) [f]',
    '  exact foo (n := k + 1) (h.trans (b := x * y)) (mul (a := f x) h)',
    '  exact Nat.le.intro (x := -3) <| by norm_num',
    '  exact x - -y - - z',
    '  exact #v[1, 2] = #[1].toVector',
    '  exact .trans (b := x + y) h',
    '  set_option maxRecDepth 4000 in\n  simp',
    '  open Nat in\n  simp',
    '  calc a\n    _ = b := h\n    _ ≤ c := by omega',
    '  exact f (start := 1) (stop := 2) h',
    '  intro stop trace library\n  simp [stop, trace]',
    '  match n with\n  | 0 => rfl\n  | n + 1 => simp [f]',
    "  exact xs[0]'(by simp)",
    '  refine ⟨_, ?_⟩ <;> simp_all',
    '  rfl -- a\u00a0b\u200b \ue000\t👨‍👩‍👧',
    '  rfl /- \u00a0 /- \u200b -/ \ufeff -/',
    '  exact (h)-- done\n  simp/- a -/',
    '  exact (by decide : "a\\n" = "a\nb")',
    '  exact f ("a{b}") ("{" ++ "\\"}") (x = "--/-«»`@[é→\u200d")',
    "  exact (by decide : '(' = '\"') ('{') ('\\'') ('\\n') ('é') ('-') (' ')",
    '\tintro x\n\t\n \t\t· rfl\n\t',
    '  intro trace start\n  rw [trace,\n    start]',
    '  obtain ⟨lemma, alias⟩ := h\n  exact fun (lemma alias : Nat) IO => lemma + alias.1 - IO',
    '  have : ∀ module : Nat, module = module := fun module => rfl\n  exact this',
    '  intro lemma\n  rw [h] at lemma\n  exact lemma',
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
    ['  simp [«end»]', 'forbidden 1:8'],
    ['  /-- doc -/\n  rfl', 'forbidden 1:2'],
    ['  rfl /-! doc -/', 'forbidden 1:6'],
    ['  /--/ sorry -/ rfl', 'forbidden 1:2'],
    ['  rfl /-/- a -/', 'forbidden 1:6'],
    ['  exact s!"a"', 'forbidden 1:10'],
    ['  exact foo!"a"', 'forbidden 1:12'],
    ['  exact r"a"', 'forbidden 1:8'],
    ['  exact r#"a"#', 'forbidden 1:8'],
    ['  exact f"a"', 'forbidden 1:9'],
    ['  exact "a""b"', 'forbidden 1:11'],
    ['  exact f "a{b}"', 'forbidden 1:10'],
    ['  exact throwErrorAt x (y) "a{b}"', 'forbidden 1:27'],
    ['  exact f = s! "a" ∧ "{" = y', 'forbidden 1:21'],
    ['  exact "\\q"', 'forbidden 1:8'],
    ['  exact "\\x4"', 'forbidden 1:8'],
    ['  exact "a\\\n\n  b"', 'forbidden 1:8'],
    ['  exact "a\u202eb"', 'forbidden 1:10'],
    ['  exact "\u{e0001}"', 'forbidden 1:9'],
    ['  rfl -- \u2028', 'forbidden 1:9'],
    ['  rfl /- \u202e -/', 'forbidden 1:9'],
    ['  rfl -- \u001b[2K', 'forbidden 1:9'],
    ['  rfl\r-- a', 'forbidden 1:5'],
    ['  rfl -- a\rsorry', 'forbidden 1:10'],
    ['  exact\u00a0rfl', 'forbidden 1:7'],
    ['  exact\trfl', 'forbidden 1:7'],
    ['  rfl\t\n', 'forbidden 1:5'],
    ['  rfl \t-- a', 'forbidden 1:6'],
    ['  rfl +-- a', 'forbidden 1:7'],
    ["  exact (fun (_ : '\"' = '\"') => sorry) rfl", 'forbidden 1:32'],
    ['  rfl\n  lemma foo : False', 'forbidden 2:2'],
    ['  intro lemma\n  lemma foo : False', 'forbidden 2:2'],
    ['  intro IO\n  exact IO.println', 'forbidden 2:8'],
    ['  intro sorry', 'sorry 1:8'],
    ['  intro native_decide\n  native_decide', 'forbidden 1:8'],
    ['  rfl\ntermination_by n\ntermination_by m', 'forbidden 2:0'],
    ['  rfl\ndecreasing_by simp\ntermination_by m', 'forbidden 2:0'],
    ['termination_by m', 'forbidden 1:0'],
    ['  exact "set_option"', 'forbidden 1:8'],
    ["  exact f('a')'b'", 'forbidden 1:14'],
    ["  exact x ''y", 'forbidden 1:11'],
    ["  exact x +'", 'forbidden 1:11'],
    ["  exact xs[0]''a", 'forbidden 1:13'],
    ['  exact `foo', 'forbidden 1:8'],
    ['  exact 0b', 'forbidden 1:9'],
    ['  exact 1__0', 'forbidden 1:8'],
    ['  exact 1theorem', 'forbidden 1:9'],
    ['  exact λtheorem', 'forbidden 1:9'],
    ['  let rec @[simp] f := 1', 'forbidden 1:10'],
    ['  exact eval% 1', 'forbidden 1:8'],
    ['  exact (h).theorem', 'forbidden 1:12'],
    ['  open ProofWidgets.Jsx in rfl', 'forbidden 1:7'],
    ['  #version', 'forbidden 1:2'],
    ['  #v [1]', 'forbidden 1:2'],
    ['  declare_config_elab a b', 'forbidden 1:2'],
    ['  exact IO.println', 'forbidden 1:8'],
    ['  set_option doc.verso true in rfl', 'forbidden 1:2'],
    ['  set_option maxHeartbeats 0 in rfl', 'forbidden 1:2'],
    ['  set_option synthInstance.maxHeartbeats 200001 in rfl', 'forbidden 1:2'],
    ['  exact my.set_option', 'forbidden 1:11'],
    ['  simp (config := c)', 'forbidden 1:18'],
    ['  simp (config := { maxSteps := f 1 })', 'forbidden 1:32'],
    ['  omega (config := { c with splitNatSub := true })', 'forbidden 1:21'],
    ['  simp! (foo := fun x => x)', 'forbidden 1:16'],
    ['  simp +arith -zeta (a := 1) (b := f 1)', 'forbidden 1:35'],
    ['  aesop (simp_config := c)', 'forbidden 1:24'],
    ['  other (discharge := fun g => g)', 'forbidden 1:22'],
    ['  · .simp (b := f 1)', 'forbidden 1:16'],
    ['', 'forbidden 1:0'],
  ])('refuses %j', (proof, expected) => {
    expect(refusalOf(proof)).toBe(expected);
  });

  test('a text of a megabyte is refused unread', () => {
    const screened = screenProof('('.repeat(1_048_576));
    expect(screened).toMatchObject({ accepted: false, refusal: { kind: 'forbidden', line: 1, column: 0 } });
  });

  test('texts made to be slow are screened quickly', () => {
    const slow = [
      `simp ${'(a := 1)'.repeat(1_500)}`,
      `simp ${'+a '.repeat(5_000)}(a := 1)`,
      `simp${' '.repeat(15_000)}x`,
      `exact ${'"a" '.repeat(3_000)}`,
      `exact ${"x' ".repeat(5_000)}`,
    ];
    const start = process.cpuUsage();
    for (const proof of slow) expect(refusalOf(proof)).toBe('accepted');
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });

  test('a block moves as a whole, and comments are blanks', () => {
    expect(screenProof('induction n with\n| zero => rfl\n| succ n ih =>\n  simp\n')).toMatchObject({
      text: '  induction n with\n  | zero => rfl\n  | succ n ih =>\n    simp',
    });
    expect(screenProof('\n      simp\n        at h\n')).toMatchObject({
      text: '  simp\n    at h',
      linesDropped: 1,
      columnsAdded: -4,
    });
    expect(screenProof('-- a\n    /- 𝔸\n b -/ simp -- c\n\n  /- 𝔸 -/ rfl  \n-- d')).toMatchObject({
      text: '  simp\n\n      rfl',
      linesDropped: 2,
      columnsAdded: -4,
    });
  });
  test.each(['by simp', '-- first\n  by\n    simp', ':= by simp'])(
    'says that the block is written alone: %j',
    (proof) => {
      expect(screenProof(proof)).toMatchObject({
        refusal: { reason: expect.stringContaining('write the tactics alone') },
      });
    },
  );
  test('has nothing against by inside the block, or a tactic with a longer name', () => {
    for (const proof of ['exact by simp', 'by_cases h : a = b\n· simp\n· simp'])
      expect(screenProof(proof).accepted).toBe(true);
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
      namespace: '',
      signature: '.{u} (α : Type u) : α = α',
    });
  });

  test.each([
    'theorem a : let x := 1; x = 1',
    'theorem a (f : Nat → Nat) : ∀ x, f x = f x',
    'theorem a (h : x = (fun y => y) 1) : True',
    'theorem «odd name» : True',
    'theorem 𝔸b.c (n : Nat) : n = n',
    '  theorem a\n  (n : Nat)\n  : n = n',
  ])('lets through %j', (statement) => {
    expect(screenStatement(statement).accepted).toBe(true);
  });

  test('the signature is printed from its tokens', () => {
    expect(screenStatement('\n lemma /- a -/ x : True')).toMatchObject({ accepted: false });
    expect(screenStatement('\n theorem «𝔸 b» (n : Nat) -- a\n  /- b -/ : n = n  -- c\n')).toMatchObject({
      name: '«𝔸 b»',
      signature: ' (n : Nat)\n          : n = n',
    });
  });

  test.each([
    ['theorem a : True', ''],
    ['theorem Foo.Bar.a : True', 'Foo.Bar'],
    ['theorem _root_.Foo.a : True', ''],
    ['theorem «Foo».a : True', '«Foo»'],
    ['theorem Bar.«a b».«c d» : True', 'Bar.«a b»'],
  ])('the namespace of the name in %j is %j', (statement, namespace) => {
    expect(screenStatement(statement)).toMatchObject({ namespace });
  });

  test('tokens on several lines keep their columns, and universe parameters stay with the name', () => {
    expect(screenStatement('  theorem 𝔸b.{u} : (by exact\n  α = α)')).toMatchObject({
      signature: `.{u}\n${' '.repeat(16)} : (by exact\n  α = α)`,
    });
  });

  test.each([
    'theorem a : True := trivial',
    'theorem a (h : True := by set_option maxRecDepth 100 in trivial) : True',
    'theorem a («b c» : Nat) : True',
    'theorem a"b" : True',
    'theorem a/- b -/ : True',
    'theorem a⁻ : True',
    'theorem axiom : True',
    'theorem a\u200b : True',
    'theorem a : let x := 1; x = 1 := rfl',
    'theorem a : True := let x := trivial; x',
    'theorem a : True where x := 1',
    'theorem a',
    'theorem : True',
    'def a : True',
    'theorem a : True theorem b : True',
    'theorem a (n : Nat',
    'theorem a : (by exact (fun (_ : Lean.Name) => True) decl_name%)',
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
    expect(screenHeader(header)).toMatchObject({ accepted: true });
  });

  test.each([
    'axiom x : False',
    'import A\nlocal notation "a" => b',
    'set_option debug.skipKernelTC true',
    'open Nat\n#eval 1',
    '@[simp] x',
    'namespace',
    'def',
    'def x := sorry',
    'def x := by admit',
    'abbrev x : Nat := by\n  native_decide',
    'def x := 1\naxiom y : False',
    'def x := 1\nmacro "a" : term => `(1)',
    'def x := 1\nelab "a" : term => pure default',
    'def x := 1\nlocal notation "a" => x',
    'def x := 1\ninfixl:60 " + " => Nat.mul',
    'def x := 1\ninstance : Add Nat := ⟨Nat.mul⟩',
    'def x := 1\nattribute [simp] x',
    '@[simp] def x := 1',
    'structure x where\n  y : Nat',
    'def x := 1\ntheorem y : x = 1 := rfl',
    'def x := 1\nimport A',
    'def x := 1\nset_option maxRecDepth 1000',
    'set_option maxHeartbeats 0 in\ndef x := 1',
    'open A in set_option autoImplicit true in open B in noncomputable def x := 1',
    'def x := set_option debug.skipKernelTC true in 1',
    'def _root_.x := 1',
    'namespace _root_.A\ndef x := 1',
    'def x := 1\nend A',
    'private def x := 1',
    'unsafe def x := 1',
    'partial def x : Nat := x',
    'def x := (1',
    'def x := 1)',
    'def x := 1 /- never',
    'def x := "a',
    'def x := by\n  run_tac pure ()\n  exact 1',
    'def x := by\n  exact?',
    'def x : Lean.Name := decl_name%',
    'def x := eval% 1',
    'open «Nat»',
    'open Nat in',
    'set_option maxRecDepth 1000 in -- a comment',
    'def x : Nat := open Nat in',
    'variable (h : True := by set_option debug.skipKernelTC true in trivial)',
    'variable (h : f "a{" = "}")',
    'variable (h : "a\u202e" = "b")',
    'open Nat -- \u2028',
    'variable (n : Nat) lemma foo : False',
    'variable (lemma : Nat)\nlemma foo : lemma = 1',
    '/-- -- -/ axiom wrong : False\n-/\ndef f := 1',
    '/-! -- /-\n-/\nset_option debug.skipKernelTC true\n-- -/\nopen Nat',
    '/--\n/- -/ def f := 2 -- -/ -/\nopen Nat',
    'def f := 1\n/-!-- -/\ndef g := 2',
    'open A in',
    'import A\nvariable (n : Nat) in -- b\n',
  ])('refuses %j', (header) => {
    expect(screenHeader(header)).toMatchObject({ accepted: false, reason: expect.stringMatching(/^header:\d+:\d+: /) });
  });

  test.each([
    ['abbrev x : Nat := 2', 'abbrev x : Nat := 2'],
    ['import A\nopen B\n/-- c -/\nnoncomputable def x := 1 -- d\n', 'noncomputable def x := 1\n'],
    ['open A in\nopen B in noncomputable def x := 1', undefined],
    ['noncomputable section def x (n : Nat) :=\n  n', '                      def x (n : Nat) :=\n  n'],
    ['def x := 1\nopen A in\ndef y : Nat → Nat\n| 0 => x\n| n + 1 => n', undefined],
    ['def 𝔸 := 1\nvariable (n : Nat)\nnamespace B\nabbrev y := n = 𝔸', undefined],
  ])('stands with options above its definitions: %j', (header, below = header) => {
    const screened = screenHeader(header);
    expect(screened).toMatchObject({ accepted: true });
    const { text } = screened as { text: string };
    expect(text.endsWith([...DEFINITION_OPTIONS, below].join('\n'))).toBe(true);
    expect(hasDefinitions(text)).toBe(true);
  });

  test('a megabyte of definitions is refused by its length', () => {
    const { reason } = screenHeader(`def x := ${'1 + '.repeat(250_000)}1`) as { reason: string };
    expect(reason).toBe('the header is longer than 4096 characters');
  });

  test('a header without definitions is as it was', () => {
    expect(hasDefinitions('import A\nopen Nat\nvariable (n : Nat)')).toBe(false);
    expect(closingLines('open Nat\nnamespace A.B\nnoncomputable section\nsection C\nsection open D')).toEqual([
      'end',
      'end C',
      'end',
      'end A.B',
    ]);
  });

  test('what Lean gets is printed from its tokens', () => {
    expect(screenHeader('/-! a -/\nimport A -- b\n\nopen /- c -/ Nat\n')).toEqual({
      accepted: true,
      text: '\nimport A\n\nopen         Nat\n',
    });
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
