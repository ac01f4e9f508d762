/**
 * A statement and its proof are elaborated in one form: variables of a header, options for implicit binders, recursive
 * proofs; and texts that Lean reads after we have printed them anew. Real Lean; half a minute of a core.
 */
import { expect, test, vi } from 'vitest';
import { type Row, verdicts } from '../testing/opened-verifier.ts';

vi.setConfig({ testTimeout: 180_000 });

const all = (rows: Readonly<Record<string, Row>>, kind: string): Record<string, string> =>
  Object.fromEntries(Object.keys(rows).map((id) => [id, kind]));

const EXISTS = 'theorem t (x : α) : ∃ y : α, y = x';
const WITNESS = '  exact ⟨x, rfl⟩';

test('the variables of a header are those that a theorem has', async () => {
  const proved: Record<string, Row> = {
    instance: ['variable {α : Type} [Inhabited α]', EXISTS, WITNESS],
    'instance that the proof uses': [
      'variable {α : Type} [Inhabited α]',
      'theorem t : ∃ y : α, y = y',
      '  exact ⟨default, rfl⟩',
    ],
    'instance of universe u': ['universe u\nvariable {α : Type u} [Inhabited α] [Add α]', EXISTS, WITNESS],
    'instance of no variable': ['variable [Inhabited Nat]', 'theorem t (n : Nat) : n = n', '  rfl'],
    'in a namespace': ['namespace Foo\nvariable {α : Type} [Inhabited α]', EXISTS, WITNESS],
    'in a section': ['noncomputable section\nvariable {α : Type} [Inhabited α]', EXISTS, WITNESS],
    included: ['variable (n : Nat) (h : 0 < n)\ninclude h', 'theorem t : n ≠ 0', '  omega'],
    omitted: ['variable {α : Type} [Inhabited α]\nomit [Inhabited α]', EXISTS, WITNESS],
    'not mentioned': ['variable (n : Nat) (h : 1 = 2)', 'theorem t : n = n', '  rfl'],
    'below a definition': ['def twice (n : Nat) := n + n\nvariable {α : Type} [Inhabited α]', EXISTS, WITNESS],
    implicit: ['set_option autoImplicit true', 'theorem t (x : α) (xs : List beta) : x = x', '  rfl'],
    'implicit in a definition': [
      'set_option autoImplicit true\ndef same (x : α) := x',
      'theorem t (x : α) : same x = x',
      '  rfl',
    ],
  };
  expect(await verdicts(proved)).toEqual(all(proved, 'proved'));
  const refused: Record<string, Row> = {
    'only the proof mentions it': ['variable (n : Nat) (h : 0 < n)', 'theorem t : n ≠ 0', '  have := h\n  omega'],
    'false hypothesis in the proof alone': ['variable (h : False)', 'theorem t : (1 : Nat) = 2', '  exact h.elim'],
    omitted: [
      'variable {α : Type} [Inhabited α]\nomit [Inhabited α]',
      'theorem t : ∃ y : α, y = y',
      '  exact ⟨default, rfl⟩',
    ],
  };
  expect(await verdicts(refused)).toEqual(all(refused, 'rejected'));
  const noStatement: Record<string, Row> = {
    'not a proposition': ['variable {α : Type} [Inhabited α]', 'theorem t (x : α) : α', '  exact x'],
  };
  expect(await verdicts(noStatement)).toEqual(all(noStatement, 'header_error'));
  const unread: Record<string, Row> = {
    'not implicit': ['', 'theorem t (x : α) : x = x', '  rfl'],
    'not implicit in a word': [
      'set_option autoImplicit true\nset_option relaxedAutoImplicit false',
      'theorem t (x : beta) : x = x',
      '  rfl',
    ],
    'proof by arms': ['variable {α : Type} [Inhabited α]', 'theorem t : ∀ x : α, x = x | _ => by rfl; have h', '  rfl'],
  };
  expect(await verdicts(unread)).toEqual(all(unread, 'header_error'));
});

const GROWS = 'theorem grows (n : Nat) : n ≤ n + n';
const GROWTH = '  cases n with\n  | zero => simp\n  | succ k =>\n    have h := grows k\n    omega';

test('a proof may call its own theorem on what is smaller, and only so', async () => {
  const proved: Record<string, Row> = {
    structural: ['', GROWS, GROWTH],
    'by match': [
      '',
      'theorem len (xs ys : List α) : (xs ++ ys).length = xs.length + ys.length'.replace('(xs', '{α : Type} (xs'),
      '  match xs with\n  | [] => simp\n  | _ :: rest =>\n    have := len rest ys\n    simp only [List.cons_append, List.length_cons]\n    omega',
    ],
    'well-founded': [
      '',
      'theorem half (n : Nat) : n / 2 ≤ n',
      '  if h : n < 2 then omega\n  else\n    have := half (n - 2)\n    omega\ntermination_by n\ndecreasing_by all_goals omega',
    ],
    'structural by name': [
      '',
      'theorem Foo.up (n m : Nat) : n ≤ n + m',
      'match m with\n| 0 => simp\n| m + 1 =>\n  have := up n m\n  omega\ntermination_by structural m',
    ],
    'by its full name': [
      'namespace Bar',
      'theorem Foo.up (n m : Nat) : n ≤ n + m',
      '  match m with\n  | 0 => simp\n  | m + 1 =>\n    have := Foo.up n m\n    omega',
    ],
    'under variables': [
      'variable {α : Type} [Inhabited α]',
      'theorem t (x : α) (n : Nat) : n ≤ n + n ∧ x = x',
      '  cases n with\n  | zero => simp\n  | succ k =>\n    have h := (t x k).1\n    exact ⟨by omega, rfl⟩',
    ],
    'of a local function': [
      '',
      'theorem t (n : Nat) : n ≤ n + n',
      '  let rec go (k : Nat) : k ≤ k + k := by\n    match k with\n    | 0 => simp\n    | k + 1 => have := go k; omega\n    termination_by k\n  exact go n',
    ],
    'named like a fact of the library': [
      '',
      'theorem Nat.add_comm (a b : Nat) : a + b = b + a',
      '  exact Nat.add_comm a b',
    ],
    'with a name that it binds': [
      '',
      'theorem h (a b : Nat) : a + b = b + a',
      '  have h := Nat.add_comm a b\n  exact h',
    ],
  };
  expect(await verdicts(proved)).toEqual(all(proved, 'proved'));
  const refused: Record<string, Row> = {
    circular: ['', 'theorem t : (1 : Nat) = 2', '  exact t'],
    'circular on an argument': ['', 'theorem t (n : Nat) : n = n + 1', '  exact t n'],
    growing: ['', 'theorem t (n : Nat) : n = n + 1', '  have := t (n + 1)\n  omega\ntermination_by n'],
    'circular in decreasing_by': [
      '',
      'theorem t (n : Nat) : n = n + 1',
      '  have := t (n + 1)\n  omega\ntermination_by n\ndecreasing_by exact absurd (t 0) (by decide)',
    ],
    'text behind the clause': ['', GROWS, `${GROWTH}\ntermination_by n)\n#check (1`],
    'another theorem': ['', 'theorem t (n : Nat) : n = n + 1', '  have := grows n\n  omega'],
  };
  expect(await verdicts(refused)).toEqual({ ...all(refused, 'rejected'), 'text behind the clause': 'forbidden' });
});

test('what is printed anew means what was written', async () => {
  const proved: Record<string, Row> = {
    strings: ['', 'theorem t : "a{b}\\n\\"\\\\" = "a" ++ "{b}\n" ++ "\\"\\\\" ∧ "é→𝔸\u00a0" ≠ ""', '  decide'],
    gap: ['', 'theorem t : "a\\\n   b" = "ab"', '  rfl'],
    characters: [
      '',
      "theorem t : '('.toNat = 40 ∧ '\"'.toNat = 34 ∧ '\\''.toNat = 39 ∧ '\\n'.toNat = 10 ∧ ' '.toNat = 32 ∧ 'é'.toNat = 233",
      '  decide',
    ],
    tabs: ['', 'theorem t (n : Nat) : n + 0 = n ∧ True', '\tconstructor\n\t· rfl\n\t· trivial -- a\u00a0b'],
    names: [
      '',
      'theorem t (trace start : Nat) (alias lemma module IO : Nat) :\n    lemma + IO = IO + lemma',
      '  have h := Nat.add_comm\n    lemma\n    IO\n  exact h',
    ],
    'names of a header': [
      'variable (lemma alias : Nat)',
      'theorem t : lemma + alias = alias + lemma',
      '  exact Nat.add_comm lemma alias',
    ],
    bindings: ['', 'theorem t : letI n : Nat := 2; haveI : n = 2 := rfl; n + n = 4', '  rfl'],
  };
  expect(await verdicts(proved)).toEqual(all(proved, 'proved'));
  const wrong: Record<string, Row> = {
    braces: ['', 'theorem t : "{1}" = "1"', '  decide'],
    gap: ['', 'theorem t : "a\\\n   b" = "a   b"', '  decide'],
    escape: ['', "theorem t : '\\x28' = ')'", '  decide'],
  };
  expect(await verdicts(wrong)).toEqual(all(wrong, 'rejected'));
  const unclear: Record<string, Row> = { interpolation: ['', 'theorem t : s! "{1}" = "{1}"', '  rfl'] };
  expect(await verdicts(unclear)).toEqual(all(unclear, 'forbidden'));
});
