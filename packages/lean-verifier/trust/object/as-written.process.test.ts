/**
 * A statement is judged as Lean reads it where it was written: under its own name, in its own columns, below its own header.
 * Each attack is a false statement whose text, printed anew under another name, would be a true one. Real Lean; half a
 * minute of a core.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, test, vi } from 'vitest';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { type Row, verdicts } from '../../testing/opened-verifier.ts';
import { splitImports } from '../header.ts';
import { screenHeader } from '../screen/screen-header.ts';
import { screenStatement } from '../screen/screen-statement.ts';
import type { Stated } from '../stated-form.ts';
import { compileAndCompare } from './as-written.ts';

vi.setConfig({ testTimeout: 300_000 });

const environment = await coreEnvironment();
const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (column: number, text: string): string => ' '.repeat(column) + text;

/** The second half is false if `word` has a meaning. */
const MATCHES = (word: string): string =>
  `theorem t : (∀ n : Nat, match n with | 0 => True | _ => True) ∧ (by first | (have _h := ${word}; exact False) | exact True)`;
const BOTH = '  exact ⟨fun n => by cases n <;> trivial, trivial⟩';

const FALSE: Readonly<Record<string, Row>> = {
  'columns, moved by the name': [
    '',
    `theorem t : (id fun _ : Nat => by exact @id Nat\n${at(42, '5) = (id : Nat → Nat)')}`,
    '  rfl',
  ],
  'columns, moved by a literal': [
    '',
    `theorem t :\n  ("((((((((((((", (id fun _ : Nat => by exact Nat.add 0\n${at(49, '5)).2 = (Nat.add 0 : Nat → Nat)')}`,
    '  rfl',
  ],
  'columns, moved by a literal of a definition': [
    `def p : String × (Nat → Nat) :=\n  ("((((((((((((", (id fun _ : Nat => by exact Nat.add 0\n${at(49, '5))')}`,
    'theorem t : p.2 = (Nat.add 0 : Nat → Nat)',
    '  rfl',
  ],
  'the namespace of its own name': ['open Int', 'theorem Nat.t : gcd (0 - 1) 0 = 1', '  rfl'],
  'that namespace, below another': [
    'open Int\nnamespace Foo\ndef Nat.gcd (_ _ : Int) : Nat := 2',
    'theorem Nat.t : gcd (0 - 1) 0 = 1',
    '  rfl',
  ],
  'that namespace, quoted': ['open Int', 'theorem «Nat».t : gcd (0 - 1) 0 = 1', '  rfl'],
  'the namespace of a definition': [
    'def StateM.run (_x : StateM Nat Nat) (_s : Nat) : Id (Nat × Nat) := (7, 7)',
    'theorem t (x : StateM Nat Nat) (h : x = (fun s => (s, s))) : x.run 0 = (0, 0)',
    '  subst h\n  rfl',
  ],
  'a namespace that a definition opens': [
    'open Int\n\ndef Nat.P : Prop := gcd (0 - 1) 0 = 1',
    'theorem t : Nat.P',
    '  show Int.gcd (0 - 1) 0 = 1\n  rfl',
  ],
  'a namespace below a definition': [
    'open Int\ndef one : Nat := 1\nnamespace Nat',
    'theorem t : gcd (0 - 1) 0 = 1',
    '  rfl',
  ],
  'the full name of a definition, and what stands in its place': [
    'def P : Prop := False',
    'theorem t : (by first | exact _root_.P | exact True)',
    '  trivial',
  ],
  'the name of the theorem': [
    '',
    'theorem t : (by first | (have _h : decl_name% = Lean.Name.mkSimple "t" := rfl; exact False) | exact True)',
    '  trivial',
  ],
  'what Lean makes for it, by its name': ['', MATCHES('@t.match_1'), BOTH],
  'what Lean makes for it, in a namespace of its name': ['def t.zz : Nat := 0\nopen t', MATCHES('@match_1'), BOTH],
  'what Lean makes for it, in its namespace': ['', MATCHES('@t.match_1').replace('theorem t', 'theorem Foo.t'), BOTH],
  'what Lean makes for it, without a tactic': [
    'def t.match_1 : Nat := 5\nnamespace Foo',
    'theorem t : (∀ n : Nat, match n with | 0 => True | _ => True) ∧ t.match_1 = 5',
    '  exact ⟨fun n => by cases n <;> trivial, rfl⟩',
  ],
  'a proof that Lean makes for it': [
    '',
    'theorem t : (∃ f : Fin 3, f = ⟨1, by omega⟩) ∧ (by first | (have _h := t._proof_1; exact False) | exact True)',
    '  exact ⟨⟨_, rfl⟩, trivial⟩',
  ],
  'its name in a message': [
    '',
    'theorem t : (by first | (have h : ∃ m l c e, (panic! "x" : Nat) = panicWithPosWithDecl m "t" l c e := by with_reducible exact ⟨_, _, _, _, rfl⟩); exact False | exact True)',
    '  trivial',
  ],
  'its line in a message': [
    '',
    'theorem t : (by first | (have h : ∃ m d c e, (panic! "x" : Nat) = panicWithPosWithDecl m d 4 c e := by with_reducible exact ⟨_, _, _, _, rfl⟩); exact False | exact True)',
    '  trivial',
  ],
  'what Lean tells of its kernel at another time': [
    '',
    'theorem t : (∀ n : Nat, match n with | 0 => True | _ => True) ∧ (by first | ((fail_if_success ((have _h := @t.match_1); (have _g : ∀ n : Nat, n + 20000 = (n + 10000) + 10000 := by as_aux_lemma => (exact fun n => rfl)))); exact True) | exact False)',
    '  exact ⟨fun n => by cases n <;> trivial, trivial⟩',
  ],
  'the same in a definition of its header': [
    'def p : Prop := (∀ n : Nat, match n with | 0 => True | _ => True) ∧ (by first | ((fail_if_success ((have _h := _root_.p.match_1 (motive := fun _ => Nat) 0 (fun _ => 0) (fun _ => 0)); (have _g : ∀ n : Nat, n + 20000 = (n + 10000) + 10000 := by as_aux_lemma => (exact fun n => rfl)))); exact True) | exact False)',
    'theorem t : p',
    '  exact ⟨fun n => by cases n <;> trivial, trivial⟩',
  ],
  'its name as another one’s, with a dot': [
    'open Int\ndef Nat.t.u : Int.gcd (0 - 1) 0 = 1 := rfl',
    'theorem «Nat».«t.u» : gcd (0 - 1) 0 = 1',
    '  rfl',
  ],
  'an error that reads like Lean’s of its name': [
    '',
    'theorem t : (∀ n : Nat, match n with | 0 => True | _ => True) ∧ (by (first | (fail_if_success (have _h := @t.match_1)) | fail "has already been declared"); exact True)',
    '  exact ⟨fun n => by cases n <;> trivial, trivial⟩',
  ],
  'a name that a definition has, of a letter of its own': ['def ℃ : Prop := True', 'theorem ℃ : ℃', '  trivial'],
  'a name that a definition has, behind another command': ['universe u def t : Nat := 5', 'theorem t : t = 5', '  rfl'],
  'what Lean makes for it, by a name that an import has': [
    '',
    MATCHES('@Nat.add_comm.match_1').replace('theorem t', 'theorem Nat.add_comm'),
    BOTH,
  ],
  'the bound of heartbeats that its header sets': [
    'set_option maxHeartbeats 100',
    'theorem t (f : Fin 6 → Fin 2) (h : f 0 = 1) : ∀ a b c : Fin 6, (a + b) * c = a * c + b * c',
    '  decide',
  ],
  'an open that ends with it': [
    'open Classical in',
    'theorem t (p : Prop) : (by first | (have _h : Decidable p := inferInstance; exact False) | exact True)',
    '  trivial',
  ],
};

test('a false statement is not proved because it reads otherwise in our form', async () => {
  const kinds = await verdicts(FALSE);
  expect(Object.entries(kinds).filter(([, kind]) => kind === 'proved')).toEqual([]);
});

test('a neighbour does not make the namespace in which a statement reads otherwise', async () => {
  const header = 'set_option autoImplicit true';
  const kinds = await verdicts({
    neighbour: [header, 'theorem Bar.Nat.zz (k : Nat) : k + 1 = 1 + k', '  omega'],
    reads: [
      header,
      'theorem Bar.t : (open Nat in ∃ y, y = zero ∧ y - 1 < y ∧ (y : Int) = y)',
      '  exact ⟨_, rfl, by omega, rfl⟩',
    ],
  });
  expect(kinds.neighbour).toBe('proved');
  expect(kinds.reads).not.toBe('proved');
});

test('what Lean tells of its kernel at another time does not choose between two meanings of a word', async () => {
  const header = [
    '',
    'universe u1 def Nat.true : Nat := 0',
    'universe u2 def AA.F (x : Nat) (f : ∀ n m : Nat, n + 20000 = m → n = n) : Prop := False',
    'universe u3 def BB.F (x : Bool) (f : ∀ n m : Nat, n + 10000 + 10000 = m → n = n) : Prop := True',
    'open AA BB',
  ].join('\n');
  const kinds = await verdicts({
    neighbour: [header, 'theorem s (k : Nat) : k + 0 = k', '  rfl'],
    other: [header, 'theorem r (k : Nat) : 0 + k = k', '  omega'],
    reads: [header, 'theorem t : F .true (fun | n, m, (h : n + 10000 + 10000 = m) => rfl)', '  trivial'],
  });
  expect(kinds).toEqual({ neighbour: 'proved', other: 'proved', reads: 'header_error' });
});

test.each(Object.entries(FALSE))('and Lean itself refuses it: %s', async (_, [header, statement, proof]) => {
  const path = join(folder, 'Plain.lean');
  writeFileSync(path, `import Init\n${header}\n\n${statement} := by\n${proof}\n`);
  const { exitCode } = await execa(environment.executable, [path], { reject: false });
  expect(exitCode).toBe(1);
});

test('a statement that is printed as it came is recorded as it is written, and another one in our form', async () => {
  const compiled = async (header: string, ...statements: string[]) => {
    const above = screenHeader(header) as { text: string };
    const { imports, rest } = splitImports(above.text);
    const theorems = statements.map((statement) => ({ ...(screenStatement(statement) as Stated), statement }));
    const module = await compileAndCompare(theorems, {
      ...{ processContext: { environment, workingDirectory: folder }, directory: join(folder, 'recorded') },
      importLines: imports,
      opening: [rest],
      writtenUnder: header,
      indexFolder: null,
      memoryBytesMax: 2_147_483_648,
    });
    expect(module.problem).toBe('');
    return [module.names, [...module.wrong.keys()]];
  };
  const [plain, tactic] = ['theorem Nat.t : succ 0 = 1', 'theorem t : 1 = (by exact 1)'];
  const header = 'import Init\nopen List';
  expect(await compiled(header, plain)).toEqual([['Nat.t'], []]);
  expect(await compiled(header, tactic)).toEqual([['t'], []]);
  expect(await compiled(`${header}\nnamespace A`, tactic)).toEqual([['A.t'], []]);
  expect(await compiled(header, plain, 'theorem u : 1 = (by exact 1)')).toEqual([['Nat.t', '_stpStated0'], []]);
  expect(await compiled(header, `${plain} -- 1`, 'theorem u : 1 = 1')).toEqual([['_stpStated0', 'u'], [0]]);
  expect(await compiled(`${header} -- lists`, plain)).toEqual([['_stpStated0'], []]);
  expect(await compiled(`${header}\ndef x := 1`, plain)).toEqual([['_stpStated0'], []]);
  expect(await compiled(header, 'theorem Nat.add_comm : 1 = 1')).toEqual([['_stpStated0'], []]);
});

test('what it means where it was written can be proved', async () => {
  const rows: Record<string, Row> = {
    'the namespace of its own name': ['open Int', 'theorem Nat.t : gcd (0 - 1) 0 = 0', '  rfl'],
    'that namespace, below another': ['namespace Foo\nopen Int', 'theorem Nat.t : gcd (0 - 1) 0 = 1', '  rfl'],
    'no namespace': ['open Int', 'theorem _root_.Nat.t : Int.gcd (0 - 1) 0 = 1', '  rfl'],
    'a quoted name': ['', 'theorem «a b».«c d» (n : Nat) : n + 0 = n', '  rfl'],
    'a namespace and a recursive proof': [
      '',
      'theorem Nat.up (n m : Nat) : n ≤ n + m',
      '  match m with\n  | 0 => simp\n  | m + 1 =>\n    have := up n m\n    have := Nat.up n m\n    omega',
    ],
    'a name that an import has': ['', 'theorem Nat.add_comm (a b : Nat) : a + b = b + a', '  omega'],
    'columns of several lines': [
      '',
      'theorem Nat.t.{u} (α : Type u) : (by exact α =\n                                     α) ∧\n  True',
      '  exact ⟨rfl, trivial⟩',
    ],
    'universes and a comment': [
      'universe v -- of all',
      'theorem t.{u} /- {} -/ (α : Type u) (β : Type v)\n  -- :=\n  : α = α',
      '  rfl',
    ],
    'literals that are printed otherwise': ['', 'theorem t : "((" ++ "a\\\n    b" =\n  "((ab"', '  decide'],
    'beside another': ['', 'theorem s (n : Nat) : n * 1 = n', '  omega'],
    'a definition that dot notation finds': [
      'def Nat.IsSquare (n : Nat) : Prop := ∃ m, n = m * m',
      'theorem Nat.IsSquare.mul {a b : Nat} (ha : a.IsSquare) (hb : b.IsSquare) : (a * b).IsSquare',
      '  obtain ⟨m, rfl⟩ := ha\n  obtain ⟨n, rfl⟩ := hb\n  exact ⟨m * n, by simp [Nat.mul_assoc, Nat.mul_left_comm]⟩',
    ],
    'a recursive definition, by dot notation': [
      "def List.sum' : List Nat → Nat\n  | [] => 0\n  | x :: xs => x + sum' xs",
      "theorem List.sum'_append (xs ys : List Nat) :\n    (xs ++ ys).sum' = xs.sum' + ys.sum'",
      "  induction xs with\n  | nil => simp [sum']\n  | cons x xs ih => simp [sum', ih, Nat.add_assoc]",
    ],
    'a definition that calls itself by dot notation': [
      'def List.sum2 : List Nat → Nat\n  | [] => 0\n  | x :: xs => x + xs.sum2',
      'theorem List.sum2_nil : sum2 [] = 0',
      '  rfl',
    ],
    'a definition in the namespace of the name': [
      'def Nat.IsSq (n : Nat) : Prop := ∃ m, n = m * m',
      'theorem Nat.t (a : Nat) (h : IsSq a) : IsSq (succ a) ∨ True',
      '  exact .inr trivial',
    ],
    'the namespace of the name, below definitions': [
      'def g (n : Nat) : Nat := n',
      'theorem Nat.t (a : Nat) : g a ≤ succ a',
      '  simp [g]',
    ],
    'another such namespace': [
      'def g (xs : List Nat) : Nat := xs.length',
      'theorem List.t (xs : List Nat) : g xs = length xs',
      '  rfl',
    ],
    'an open of one definition': [
      'open Classical in\nnoncomputable def f (p : Prop) : Nat := if p then 1 else 0',
      'theorem f_le (p : Prop) : f p ≤ 1',
      '  unfold f\n  split <;> simp',
    ],
    'a quoted namespace': ['', 'theorem «Nat».foo_bar (n : Nat) : n < succ n', '  omega'],
    'a quoted last part': ['', "theorem Nat.«add comm'» (n : Nat) : n < succ n", '  omega'],
    'definitions, in a section': [
      'noncomputable section\ndef Nat.half (n : Nat) : Nat := n / 2\nvariable (n : Nat)',
      'theorem t : Nat.half n ≤ n',
      '  unfold Nat.half\n  omega',
    ],
  };
  const kinds = await verdicts(rows);
  expect(kinds).toEqual(Object.fromEntries(Object.keys(rows).map((id) => [id, 'proved'])));
});

test('a variable of a universe that nothing declares is a fault of the header', async () => {
  const kinds = await verdicts({
    'no universe': ['variable {α : Type u}', 'theorem t (a : α) : a = a', '  rfl'],
    declared: ['universe u\nvariable {α : Type u}', 'theorem t (a : α) : a = a', '  rfl'],
    'bound by itself': ['set_option autoImplicit true\nvariable {α : Type u}', 'theorem t (a : α) : a = a', '  rfl'],
  });
  expect(kinds).toEqual({ 'no universe': 'header_error', declared: 'proved', 'bound by itself': 'proved' });
});
