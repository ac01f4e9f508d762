import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkText, folder, inOrder } from '../testing/checked-file.ts';

async function check(source: string) {
  const offerAs = join(folder, 'offered', 'File.olean');
  const report = await checkText(source, { sparesOthers: true, offerAs });
  return { ...report, verdicts: inOrder(report).map(({ name, verdict, line }) => `${line} ${verdict} ${name}`) };
}

/** Whole files of which no theorem may have a verdict. */
async function checkRefused(source: string) {
  const report = await check(source);
  expect(report).toMatchObject({ outcome: 'rejected', theorems: [] });
  expect(report.reason).toContain('No theorem of the file has a verdict');
}

test('each theorem has its verdict, and a refused one Lean’s message', async () => {
  const report = await check(`theorem a : 1 = 1 := rfl
/-- Wrong. -/
@[simp] theorem b : 1 = 2 := by
  omega
theorem c : ∃ n : Nat, n = 2 := ⟨2, rfl⟩
theorem d (n : Nat) : n = n + 0 := by induction n with
  | zero => rfl
  | succ n => exact foo
theorem e : 1 = 2 := b
theorem f : 3 = 3 ∧ 1 = 2 := by simp [b]
theorem g : let n := 2; n = 3 := id
  (rfl)
theorem h (n : Nat) : n = 0 := h n
example : 1 = 2 := by decide
example : 2 = 2 := by
  decide
theorem i : 4 = 4 := rfl
`);
  expect(report.outcome).toBe('rejected');
  expect(report.verdicts).toEqual([
    '1 accepted a',
    '2 rejected b',
    '5 accepted c',
    '6 rejected d',
    '9 rejected e',
    '10 rejected f',
    '11 rejected g',
    '13 rejected h',
    '14 rejected example',
    '15 accepted example',
    '17 accepted i',
  ]);
  const messages = Object.fromEntries(report.theorems.map(({ name, message }) => [name, message]));
  expect(messages.b).toMatch(/^4:2: omega/);
  expect(messages.d).toMatch(/^8:20: Unknown identifier `foo`/);
  expect(messages.e).toBe('rests on `sorry`');
  expect(messages.h).toMatch(/^13:8: fail to show termination/);
  expect(report.isOffered).toBeUndefined();
  expect(report.checks[0]).toMatchObject({ by: 'lean', outcome: 'refused' });
});

test('a command behind a refused proof is no part of it, however deep it stands', async () => {
  const report = await check(`def P : Prop := 1 = 2
namespace A
theorem bad : 1 = 2 := missing
    def P : Prop := 1 = 1
    @[simp] theorem p : P := rfl
theorem x : P := p
end A
`);
  expect(report.verdicts).toEqual(['3 rejected A.bad', '5 accepted A.p', '6 accepted A.x']);
});

test('an error where attributes or a doc comment begin is that of their theorem', async () => {
  const report = await check(`def k := 1
@[simp] private theorem bad (n : Nat) : n = 7 := rfl
theorem good : 1 = 1 := rfl
/-- Wrong. -/
-- It is.
@[simp]
protected theorem A.bad (n : Nat) : n = 7 := rfl
theorem after : 2 = 2 := rfl
`);
  expect(report.verdicts.map((line) => line.replace(/ _private.*bad/, ' bad'))).toEqual([
    '2 rejected bad',
    '3 accepted good',
    '4 rejected A.bad',
    '8 accepted after',
  ]);
});

test('what a refused theorem does to later text stays', async () => {
  const report = await check(`namespace A
theorem truth : True := missing
end A
def truth : 2 = 2 := rfl
open A in
theorem x : ∃ h : True, h = A.truth := ⟨trivial, rfl⟩
theorem y : 2 = 2 := truth
def three : Fin 3 := ⟨2, (fun _ : True => by decide) A.truth⟩
theorem z : three = three := rfl
`);
  expect(report.verdicts).toEqual(['2 rejected A.truth', '6 rejected x', '7 accepted y', '9 rejected z']);
  expect(report.others).toMatchObject([{ name: 'three', line: 8, axioms: expect.arrayContaining(['sorryAx']) }]);
});

test.each([
  ['a definition', 'def a : Nat := missing\ntheorem b : 1 = 1 := rfl\n'],
  ['a statement', 'theorem a : missing 3 = 1 := rfl\ntheorem b : 1 = 1 := rfl\n'],
  ['a file with notation', 'local notation "x" => 1\ntheorem a : x = 2 := missing\ntheorem b : 1 = 1 := rfl\n'],
  ['a command', 'theorem b : 1 = 1 := rfl\n#check missing\n'],
  ['a proof that cannot be parsed', 'theorem a : 1 = 2 := by\n  simp (\nopen Nat\ntheorem b : 1 = 1 := rfl\n'],
  ['a proof that takes the next command', 'theorem a : 1 = 2 := by\nopen Nat in\ntheorem b : 1 = 1 := rfl\n'],
  ['arms', 'theorem a : ∀ n : Nat, n = 2\n  | 0 => missing\n  | n + 1 => missing\ntheorem b : 1 = 1 := rfl\n'],
])('an error in %s is not set aside', async (_, source) => {
  await checkRefused(source);
});

test.each([
  [
    'a local definition of the proof',
    'def N : Nat := 7\ntheorem t : 1 = 2 := by\n  let rec N : Nat := 5\n  exact missing\nnamespace t\ntheorem x : ∃ n : Nat, n = N := ⟨_, rfl⟩\nend t\n',
  ],
  [
    'its namespace',
    'def match_1 := True\ntheorem t (n : Nat) : 1 = 2 := by\n  match n with\n  | 0 => exact missing\n  | _ => exact missing\nnamespace t\ntheorem x : match_1 := trivial\nend t\n',
  ],
  [
    'its namespace in another one',
    'def match_1 := True\nnamespace N\ntheorem t (n : Nat) : 1 = 2 := by\n  match n with\n  | 0 => exact missing\n  | _ => exact missing\nend N\nnamespace N.t\ntheorem x : match_1 := trivial\nend N.t\n',
  ],
  [
    'a theorem in its namespace',
    'def match_1 := True\ntheorem t (n : Nat) : 1 = 2 := by\n  match n with\n  | 0 => exact missing\n  | _ => exact missing\ntheorem t.x : match_1 := trivial\n',
  ],
  [
    'what Lean makes for it, by its name',
    'def N.t.match_1 := True\nopen N\ntheorem t (n : Nat) : 1 = 2 := by\n  match n with\n  | 0 => exact missing\n  | _ => exact missing\ntheorem x : t.match_1 := trivial\n',
  ],
])('a file that could mean %s is not judged without the proof', async (_, source) => {
  await checkRefused(source);
});
