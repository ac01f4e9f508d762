/** Which theorems are found for a statement by their form. */
import { expect, it } from 'vitest';
import { LemmaForms } from '../../activities/lemma-forms.ts';

const THEOREMS = [
  'theorem UInt8.toBitVec_inj {a b : UInt8} : a.toBitVec = b.toBitVec ↔ a = b',
  'theorem UInt16.toBitVec_inj {a b : UInt16} : a.toBitVec = b.toBitVec ↔ a = b',
  'theorem UInt8.lt_iff_toNat_lt {a b : UInt8} : a < b ↔ a.toNat < b.toNat',
  'theorem UInt8.toNat_inj {a b : UInt8} : a.toNat = b.toNat ↔ a = b',
  'theorem UInt16.toBitVec_toUInt8 (n : UInt16) : n.toUInt8.toBitVec = BitVec.setWidth (8 : Nat) n.toBitVec',
  'theorem UInt16.toBitVec_mul (a b : UInt16) : (a * b).toBitVec = a.toBitVec * b.toBitVec',
  'theorem UInt8.toBitVec_mul (a b : UInt8) : (a * b).toBitVec = a.toBitVec * b.toBitVec',
  'theorem UInt8.toBitVec_add (a b : UInt8) : (a + b).toBitVec = a.toBitVec + b.toBitVec',
  'theorem BitVec.setWidth_mul {w i : Nat} (x y : BitVec w) (h : i ≤ w) : BitVec.setWidth i (x * y) = BitVec.setWidth i x * BitVec.setWidth i y',
  'theorem BitVec.setWidth_or {w i : Nat} (x y : BitVec w) : BitVec.setWidth i (x ||| y) = BitVec.setWidth i x ||| BitVec.setWidth i y',
  'theorem List.singleton_inj {α : Type} {a b : α} : [a] = [b] ↔ a = b',
];
const index = new LemmaForms(THEOREMS);
const MUL = 'theorem t (a b : UInt16) : (a * b).toUInt8 = a.toUInt8 * b.toUInt8';

const found = (statement: string, constants: string[], accessible = (_: number): boolean => true, most = 4) =>
  index.images(statement, constants, accessible, most).map(({ transfers, pushes, further }) => ({
    transfers: transfers.map((one) => one.index),
    pushes,
    further,
  }));

it('finds what reduces the equations, moves the function inwards, and what this brings in, best known image first', () => {
  expect(found(MUL, ['UInt8', 'UInt16'])).toEqual([
    { transfers: [0, 1], pushes: [4, 5, 6], further: [8] },
    { transfers: [3], pushes: [], further: [] },
  ]);
});

it('needs the constants of the elaborated statement where its text does not name the type of an equation', () => {
  expect(found(MUL, [])).toEqual([{ transfers: [1], pushes: [4, 5], further: [8] }]);
});

it('takes accessible theorems about relations that the statement mentions, for few images', () => {
  expect(found(MUL, ['UInt8'], (at) => at !== 0 && at !== 5 && at !== 8, 1)).toEqual([
    { transfers: [1], pushes: [4, 6], further: [] },
  ]);
  const order = found('theorem t (a b : UInt8) : a < b → ¬b < a', []);
  expect(order).toEqual([{ transfers: [2], pushes: [], further: [] }]);
  expect(found('theorem t (a b : UInt8) (h : a ≠ b) : b ≠ a', [])).toEqual([
    { transfers: [0], pushes: [], further: [] },
    { transfers: [3], pushes: [], further: [] },
  ]);
  expect(found('theorem t (a b : Nat) : a = b', [])).toEqual([]);
});

it('finds theorems of one form that are accessible, in order', () => {
  const asked = 'theorem t {x y : Int8} : x.toBitVec = y.toBitVec ↔ x = y';
  expect(index.analogues(asked, () => true, 4)).toEqual([0, 1]);
  expect(index.analogues(asked, (at) => at > 0, 4)).toEqual([1]);
  expect(index.analogues(asked, () => true, 1)).toEqual([0]);
  expect(index.analogues(MUL, () => true, 4)).toEqual([]);
});

it('finds equations that rewrite a part of the statement, those about its rarest constant first', () => {
  const rules = new LemmaForms([
    'theorem Rco.getElem?_toList_eq {r : Rco} {i : Nat} : r.toList[i]? = Option.filter r.has (Nat.succMany? i r.lower)',
    'theorem Roo.getElem?_toList_eq {r : Roo} {i : Nat} : r.toList[i]? = Option.filter r.has (Nat.succMany? i r.lower)',
    'theorem Nat.getElem?_toList_rcc {n i : Int} : (n...=n).toList[i]? = none',
    'theorem getElem?_pos {xs : List Nat} {i : Nat} (h : i < xs.length) : xs[i]? = Option.some xs[i]',
    'theorem getElem?_eq_match {xs : List Nat} {i : Nat} : xs[i]? = List.match xs',
    'theorem List.some_pos {xs : List Nat} {i : Nat} : decide (0 < xs.foo) = Decidable.decide (xs = [])',
  ]);
  const asked = 'theorem t {m n i : Nat} : (m...n).toList[i]? = Option.some i';
  const constants = ['Rco.mk', 'Rco.toList', 'GetElem?.getElem?', 'List.length', 'Nat', 'List'];
  expect(rules.rules(asked, constants, () => true, 4)).toEqual([
    { index: 0, brings: ['Option.filter', 'Nat.succMany?'] },
    { index: 4, brings: ['List.match'] },
    { index: 3, brings: [] },
  ]);
  expect(rules.rules(asked, constants, (at) => at !== 0, 1)).toEqual([{ index: 4, brings: ['List.match'] }]);
  expect(rules.rules('theorem t {xs : List Nat} : decide (0 < xs.foo) = true', ['List.foo'], () => true, 4)).toEqual([
    { index: 5, brings: [] },
  ]);
});

it('takes no rule that rewrites no function: quantifiers, classes, conditions, and how a function is compiled', () => {
  const useless = new LemmaForms([
    "theorem Bool.forall_bool' {p : Bool → Prop} : (∀ b, p b) ↔ p false ∧ p true",
    'theorem ite_eq_dite {P : Prop} {a b : Nat} : ite P a b = dite P (fun _ => a) fun _ => b',
    'theorem List.lawfulBEq_iff {α : Type} [BEq α] : LawfulBEq (List α) ↔ LawfulBEq α',
    'theorem List.erase_eq_eraseTR : @List.erase = @List.eraseTR',
    'theorem List.erase_nil {a : Nat} : ([] : List Nat).erase a = []',
  ]);
  const asked = 'theorem t {xs : List Bool} : ∀ b, (if b then xs else xs.erase b) = xs';
  const constants = ['List.erase', 'List.nil', 'ite', 'Bool', 'Bool.false', 'Bool.true', 'LawfulBEq', 'List', 'Nat'];
  expect(useless.rules(asked, constants, () => true, 4)).toEqual([{ index: 4, brings: [] }]);
});
