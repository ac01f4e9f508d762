/**
 * The judge of files stands by itself: examples, definitions on forbidden axioms, modules that hold or import something
 * else than their text. Real Lean; some fifteen seconds of a core.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkText, environment, folder, inOrder } from '../../testing/checked-file.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import { compileModule } from './compiled-module.ts';
import { inspectModule } from './inspect-module.ts';
import { findProofs } from './proof-policy.ts';
import { compileStatements, statedName } from './stated-module.ts';

async function check(text: string, lean = environment) {
  const found = await checkText(text, { lean });
  const report = { ...found, theorems: inOrder(found) };
  const lines = report.theorems.map(({ name, verdict, line }) => `${verdict} ${name} ${line}`);
  return { ...report, lines };
}

describe('an example', () => {
  test.each([
    [
      'a constant of its own',
      'example : (by first | (have h := @_example.match_1; exact False) | exact True) := trivial',
    ],
    ['its namespace', 'example : (by first | (open _example in exact @match_1) | exact True) := trivial'],
    ['its place', 'theorem t : (panic! "x" : Nat) = panic! "x" := rfl'],
  ])('or a theorem that asks for %s is not judged', async (_, text) => {
    const { outcome, theorems } = await check(`${text}\n`);
    expect([outcome, ...theorems.map(({ verdict }) => verdict)]).not.toContain('accepted');
  });

  test.each([
    ['sorry', 'set_option warn.sorry false\nexample : (1:Nat) = 2 := sorry', 'rests on `sorry`'],
    ['a quoted option', 'set_option «warn».sorry false\nexample : (1:Nat) = 2 := sorry', 'rests on `sorry`'],
    ['one command', 'set_option warn.sorry false in\nprivate example : (1:Nat) = 2 := by admit', 'rests on `sorry`'],
    ['a tactic', 'set_option warn.sorry false\nexample : 1 = 2 := by first | decide | sorry', 'rests on `sorry`'],
    [
      'a local function',
      'set_option warn.sorry false\nexample (n : Nat) : n = 2 := go n where\n  go (n : Nat) : n = 2 := sorry',
      'rests on `sorry`',
    ],
    ['an axiom of the file', 'axiom wish : 1 = 2\nexample : 1 = 2 := wish', 'not allowed: wish'],
    ['an axiom of the toolchain', 'example : True := Lean.trustCompiler', 'not allowed: Lean.trustCompiler'],
  ])('that rests on %s is rejected', async (_, text, message) => {
    const report = await check(`theorem ok : (1:Nat) = 1 := rfl\n${text}\n`);
    expect(report.outcome).toBe('rejected');
    expect(report.theorems.find(({ name }) => name === 'example')).toMatchObject({
      verdict: 'rejected',
      message: expect.stringContaining(message),
    });
  });

  test('of any honest form is accepted, at its place, and counts as a theorem', async () => {
    const report = await check(`section
variable (p q : Prop) (hp : p)
example : p := hp
private example : 1 = 1 := by decide
noncomputable example : Nat := Classical.choice ⟨3⟩
example : Nat → Nat | 0 => 0 | n + 1 => _example n
namespace Foo
example (x : List α) : x = x := by rfl
open Nat in
set_option maxRecDepth 1000 in
/-- An example. -/
example (n : Nat) : n + 0 = n := go n where go (n : Nat) : n + 0 = n := rfl
end Foo
example (p q : Prop) (hp : p) (hq : q) : p ∧ q := by constructor
                                                     · exact hp
                                                     · exact hq
variable [Inhabited Nat]
example := 5
end
def «example» := "example : 1 = 2" -- example : 1 = 2 := sorry
theorem last : 2 = 2 := rfl
`);
    expect(report.reason).toBe('');
    expect(report.lines).toEqual([
      ...[3, 4, 5, 6, 8, 12, 14, 18].map((line) => `accepted example ${line}`),
      'accepted last 21',
    ]);
    expect(report.theorems[2]!.axioms).toEqual(['Classical.choice']);
    expect((await check('example : 1 = 1 := rfl\n')).outcome).toBe('accepted');
  });

  test.each([
    ['has attributes', '@[simp] example : 1 = 1 := rfl', /^2:8: an example with attributes/],
    [
      'helps another one by its attributes',
      '@[simp] private example : 1 = 1 := rfl\nexample : 1 = 1 := by simp',
      /attributes/,
    ],
  ])('that %s is not passed', async (_, text, reason) => {
    const report = await check(`theorem ok : 1 = 1 := rfl\n${text}\n`);
    expect(report).toMatchObject({ outcome: 'unchecked', reason: expect.stringMatching(reason) });
  });
});

test('what Lean says of a file decides nothing: it may say that something is open', async () => {
  const report = await check('theorem ok : 1 = 1 := rfl\n#print "declaration uses `sorry`"\n');
  expect(report.messages.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^declaration uses/));
  expect(report.outcome).toBe('accepted');
});

describe('a declaration that is no theorem', () => {
  test.each([
    [
      'a definition',
      'def x : True := Lean.trustCompiler',
      /^x rests on axioms that are not allowed: Lean.trustCompiler/,
    ],
    ['an instance', 'instance : Inhabited True := ⟨Lean.trustCompiler⟩', /^instInhabitedTrue\S* rests on axioms/],
    ['a default', 'structure S where\n  h : True := Lean.trustCompiler', /^S\.h\._default rests on axioms/],
    ['an opaque constant', 'opaque x : True := Lean.trustCompiler', /^x rests on axioms/],
    [
      'a partial function',
      'set_option warn.sorry false\npartial def f (n : Nat) : Nat := sorry',
      /^f rests on `sorry`/,
    ],
  ])('on a forbidden axiom rejects the file: %s', async (_, text, reason) => {
    const report = await check(`theorem ok : 1 = 1 := rfl\n${text}\n`);
    expect(report).toMatchObject({ outcome: 'rejected', reason: expect.stringMatching(reason) });
    expect(report.lines).toEqual(['accepted ok 1']);
  });

  test('has its allowed axioms told', async () => {
    const report = await check('theorem ok : 1 = 1 := rfl\nnoncomputable def three : Nat := Classical.choice ⟨3⟩\n');
    expect(report.outcome).toBe('accepted');
    expect(report.others).toEqual([{ name: 'three', line: 2, column: 0, axioms: ['Classical.choice'] }]);
  });
});

const bounds = () => ({
  processContext: { environment, workingDirectory: folder },
  memoryBytesMax: 2_147_483_648,
  signal: AbortSignal.timeout(170_000),
});

async function compiled(name: string, text: string): Promise<string> {
  const directory = join(folder, name);
  const module = await compileModule({ ...bounds(), module: name, text, directory, deadlineMs: 60_000 });
  expect(module.messages.filter(({ severity }) => severity === 'error')).toEqual([]);
  return module.path!;
}

/** A Lean that was taken over by the text: it leaves another module than the text's. */
function takenOver(name: string, module: string): LeanEnvironment {
  const executable = join(folder, `lean-${name}`);
  writeFileSync(
    executable,
    `#!/bin/sh\nfor word; do [ "$last" = -o ] && module=$word; last=$word; done\n'${environment.executable}' "$@" || exit\n[ -z "$module" ] || cp '${module}' "$module"\n`,
  );
  chmodSync(executable, 0o755);
  return { ...environment, executable };
}

describe('a module that was put in the place of the text’s', () => {
  const HONEST = 'theorem ok : 1 = 1 := rfl\n';
  test.each<[string, string, string, string?]>([
    [
      'an inductive type',
      'inductive Odd (b : Bool) : Type | a\ntheorem ok : 1 = 1 := rfl\n',
      'an inductive constant that its text does not declare: Odd',
    ],
    ['a part of one', 'inductive Even : Nat → Prop | zero : Even 0 | step : Even n → Even (n + 2)\n', 'Even'],
    [
      'an opaque constant',
      'opaque hidden : Nat\ntheorem ok : 1 = 1 := rfl\n',
      'an opaque constant that its text does not declare: hidden',
    ],
    [
      'a definition',
      'def hidden : Nat := 1\ntheorem ok : 1 = 1 := rfl\n',
      'a definition that its text does not declare: hidden',
    ],
    [
      'another import',
      'import Init.Omega\ntheorem ok : 1 = 1 := rfl\n',
      'imports other modules than it was to: Init.Omega',
    ],
    ['no theorem', 'theorem other : 1 = 1 := rfl\n', 'line 1: this theorem is not in'],
    ['no definition', 'theorem ok : 1 = 1 := rfl\n', 'line 2: this def is not in', `${HONEST}def left : Nat := 1\n`],
    [
      'no instance',
      'theorem ok : 1 = 1 := rfl\n',
      'line 2: this instance is not in',
      `${HONEST}instance : Inhabited (Fin 1) := ⟨0⟩\n`,
    ],
  ])('is not accepted, whatever a kernel says of it: %s', async (name, text, reason, honest = HONEST) => {
    const module = await compiled(`Forged${name.replaceAll(' ', '')}`, text);
    const report = await check(honest, takenOver(name.replaceAll(' ', ''), module));
    expect(report.outcome).toBe('unchecked');
    expect(report.reason).toContain(reason);
  });

  test('imports what the object says, which may be nothing', async () => {
    const forged = await compiled('Bare', 'prelude\ninductive Top : Prop | intro\ntheorem ok : Top := Top.intro\n');
    const report = await check(
      'inductive Top : Prop | intro\ntheorem ok : Top := Top.intro\n',
      takenOver('bare', forged),
    );
    expect(report).toMatchObject({ outcome: 'unchecked', reason: 'imports other modules than it was to: Init' });
    const stated = await compileStatements([{ opens: '', signature: ' : Prop' }], {
      ...bounds(),
      importLines: [],
      directory: join(folder, 'stated'),
    });
    const asked = [{ name: 'ok', stated: statedName(0) }];
    const object = await inspectModule({
      ...bounds(),
      path: forged,
      indexFolder: null,
      asked,
      statedPath: stated.path!,
    });
    if ('unread' in object) throw new Error(object.unread);
    const expected = {
      importLines: [],
      unreadable: new Map(),
      toleratesLibraryAxioms: true,
      mayShare: true,
      mayMark: false,
    };
    const ofModule = findProofs(
      { ...object, constants: object.constants.filter(({ kind }) => kind === 'theorem') },
      expected,
    );
    expect(ofModule.objection).toBe('imports other modules than it was to: Init');
  });

  test('an inductive type is of a sort that is written as one', async () => {
    const report = await check('abbrev Odd := Type\ninductive T : Odd | a\ntheorem ok : 1 = 1 := rfl\n');
    expect(report.outcome).toBe('unchecked');
    expect(report.reason).toMatch(/sort/);
  });
});

test('declarations of every kind are found in the text of an honest file', async () => {
  const report = await check(`inductive Tree (α : Type) | leaf | node : Tree α → α → List (Tree α) → Tree α
  deriving Repr, BEq, Hashable, Inhabited
inductive Even : Nat → Prop | zero : Even 0 | step : Even n → Even (n + 2)
structure Point extends Inhabited Nat where
  (x y : Nat)
  h : x = x := by rfl
class Zero' (α : Type) where zero : α
class abbrev Both (α : Type) := Zero' α, Inhabited α
class inductive Some' (α : Type) : Prop | intro : α → Some' α
instance : Zero' Nat := ⟨0⟩
instance (priority := 200) Deep.named : Zero' Int := ⟨0⟩
partial def f (n : Nat) : Nat := go n where go (n : Nat) : Nat := f n
private def recursive (n : Nat) : Nat := match n with | 0 => 1 | n + 1 => recursive n
def half (n : Nat) : Nat := if h : n = 0 then 0 else half (n / 2)
decreasing_by omega
coinductive Inf : Nat → Prop | step : Inf (n + 1) → Inf n
mutual
inductive A | a : B → A
inductive B | b : A → B | c
end
abbrev Count := Nat
def Other := Count deriving Inhabited
local instance : OfNat Nat 7 := ⟨8⟩
theorem ok (n : Nat) : recursive n = 1 := by induction n with
  | zero => rfl
  | succ n ih => simpa [recursive] using ih
theorem gcd (a b : Nat) (h : a ∣ b) : Nat.gcd a b = a := by simp [Nat.gcd_eq_left h]
theorem shown : ∀ n : Nat, (match n with | 0 => True | _ => True) := by intro n; split <;> trivial
`);
  expect(report.reason).toBe('');
  expect(report.lines).toEqual(['accepted ok 24', 'accepted gcd 27', 'accepted shown 28']);
});
