/**
 * Statements whose header brings definitions along: what is proved of them, and what a proof, or a process that a proof has
 * taken over, cannot do to them. Real Lean; five seconds of a core.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { LeanExit } from '../runtime/process/spawn.ts';
import { claimOf } from '../testing/claim.ts';
import { candidate, environment, kindsOf, open, scratchDirectory } from '../testing/opened-verifier.ts';
import { keptSection, type ProofText } from './certificate/proofs-text.ts';
import { checkFile } from './check-file.ts';
import { compileModule } from './object/compiled-module.ts';
import { confirmProofs } from './object/confirm-proofs.ts';
import { inspectModule } from './object/inspect-module.ts';
import { findProofs } from './object/proof-policy.ts';
import { compileStatements, statedName } from './object/stated-module.ts';
import { screenHeader } from './screen/screen-header.ts';
import { notStarted } from './verdict/check-outcome.ts';
import { limitClasses } from './verdict/limits.ts';

vi.setConfig({ testTimeout: 180_000 });

const HEADER = `import Init

open Nat

/-- The answer. -/
abbrev answer : Nat := 2 -- and no other
abbrev Evil.answer : Nat := 3

def twice : Nat → Nat
| 0 => 0
| n + 1 => twice n + 2

def half (n : Nat) : Nat := if n < 2 then 0 else half (n - 2) + 1
termination_by n`;
const printed = (header: string): string => (screenHeader(header) as { text: string }).text;
const FALSE = 'theorem claim : 1 + 2 = answer';

const bounds = () => ({
  processContext: { environment, workingDirectory: scratchDirectory },
  memoryBytesMax: 2_147_483_648,
  signal: AbortSignal.timeout(170_000),
});

test('a proof knows them by their names, and cannot change what the statement means', async () => {
  const verifier = await open({ batchSize: 100 });
  const recursion = '  induction n with\n  | zero => rfl\n  | succ n ih => rw [twice, ih]; omega';
  const sound = {
    defined: ['theorem a : 1 + 1 = answer', '  rfl'],
    recursive: ['theorem a (n : Nat) : twice n = 2 * n', recursion],
    equations: ['theorem a : twice 1 = answer', '  simp [twice]'],
    'well-founded': ['theorem a : half 3 = 1', '  unfold half; simp; unfold half; simp'],
    'local function': [
      'theorem a (n : Nat) : twice n = 2 * n',
      `  let rec go (n : Nat) : twice n = 2 * n := by\n${recursion.replace(/^/gmu, '  ')}\n  exact go n`,
    ],
  };
  const refused = {
    'is false': [FALSE, '  rfl'],
    shadows: [FALSE, '  let answer := 3\n  show 1 + 2 = answer\n  rfl'],
    'another namespace': [FALSE, '  open Evil in show 1 + 2 = answer\n  rfl'],
    'an instance': [FALSE, '  letI : OfNat Nat 2 := ⟨3⟩\n  rfl'],
    'an operation': [FALSE, '  letI : HAdd Nat Nat Nat := ⟨fun _ _ => 2⟩\n  rfl'],
    'another value': [FALSE, '  have h : answer = 3 := rfl\n  rw [h]'],
    'a local function': [FALSE, '  let rec answer : Nat := 3\n  show 1 + 2 = answer\n  rfl'],
  };
  const forbidden = {
    redefines: [FALSE, '  rfl\nabbrev answer : Nat := 3'],
    leaves: [FALSE, '  rfl\nend Nat'],
    attribute: [FALSE, '  attribute [local irreducible] answer in rfl'],
    notation: [FALSE, '  local notation "answer" => 3 in rfl'],
    syntax: [FALSE, '  macro_rules | `(answer) => `(3)'],
  };
  const rows = Object.entries({ ...sound, ...refused, ...forbidden }).map(([id, [statement, proof]]) => ({
    ...candidate(id, proof!, statement),
    header: HEADER,
  }));
  expect(kindsOf(await verifier.check(rows))).toEqual({
    ...Object.fromEntries(Object.keys(sound).map((id) => [id, 'proved'])),
    ...Object.fromEntries(Object.keys(refused).map((id) => [id, 'rejected'])),
    ...Object.fromEntries(Object.keys(forbidden).map((id) => [id, 'forbidden'])),
  });
});

test('what Lean cannot read in them is no fault of a proof', async () => {
  const verifier = await open();
  const headers = ['def answer : Nat := nonsense', 'def answer (x : α) := x', 'def answer : Nat := sorry'];
  const rows = headers.map((header) => ({ ...candidate(header, '  rfl', 'theorem a : 1 = 1'), header }));
  expect(Object.values(kindsOf(await verifier.check(rows)))).toEqual(headers.map(() => 'header_error'));
});

test('a header that does not end by itself takes nothing of what stands below it', async () => {
  const verifier = await open();
  const unfinished = ['open', 'variable', 'open Nat in', 'set_option autoImplicit true in', 'universe'];
  const definitions = ['5 +', 'by exact 5 <;>', '5\ntermination_by', 'open Nat in', 'if True then 1 else'];
  const headers = [...unfinished, ...definitions.map((value) => `def answer : Nat := ${value}`)];
  const rows = headers.map((text) => ({
    ...candidate(text, '  rfl', 'theorem a : 1 = 1'),
    header: `import Init\n${text}`,
  }));
  expect(kindsOf(await verifier.check(rows))).toEqual(
    Object.fromEntries(headers.map((text) => [text, 'header_error'])),
  );
});

test.each([
  ['deadline', 'header_error', 'infra'],
  ['memory', 'header_error', 'infra'],
  ['crashed', 'infra', 'infra'],
  ['not-started', 'infra', 'infra'],
] as const)('a process that ends above the first proof (%s) speaks against definitions: %s, and else: %s', (...row) => {
  const [how, withDefinitions, without] = row;
  const exit = { how, stderr: '' } as LeanExit;
  expect([notStarted(exit, true).kind, notStarted(exit).kind]).toEqual([withDefinitions, without]);
});

describe('a text that was never screened', { tags: ['slow'] }, () => {
  /** Ends its proof, says something, and begins another theorem for what follows. */
  const says = (commands: string) =>
    claimOf(' : True', `  trivial)\n${commands}\ntheorem other : True := (by\n  trivial`);

  test.each([
    ['another definition of the name', 'namespace Inner\nabbrev answer : Nat := 3', '  rfl'],
    ['another meaning of a numeral', 'instance (priority := high) three : OfNat Nat 2 := ⟨3⟩', '  rfl'],
    ['a helper', 'axiom helper : 1 + 2 = answer', '  exact helper'],
  ])('gives no proof by %s', async (_, commands, proofText) => {
    const found = await confirmProofs(printed(HEADER), [says(commands), claimOf(' : 1 + 2 = answer', proofText)], {
      ...bounds(),
      scratchDirectory,
      limits: limitClasses({ candidateTimeoutMs: 2_500, memoryBytesMax: 2_147_483_648 }).big,
      writtenUnder: HEADER,
      indexFolder: null,
      onDisagreement: null,
    });
    expect(found.map(({ kind }) => kind)).toEqual(['rejected', 'rejected']);
  });
});

describe('a module of proofs', () => {
  /** Modules of our own statement, its definition above it: once for all statements, and once for each. */
  let stated: { readonly together: string; readonly apart: string };
  beforeAll(async () => {
    const opens = printed('abbrev answer : Nat := 2');
    const statement = { signature: ' : answer = answer' };
    const compiled = async (name: string, own: string, opening: readonly string[]) => {
      const directory = join(scratchDirectory, `stated-${name}`);
      const task = { ...bounds(), importLines: [], opening, directory };
      return (await compileStatements([{ ...statement, opens: own }], task)).path!;
    };
    stated = { together: await compiled('together', '', [opens]), apart: await compiled('apart', opens, []) };
  });

  test.each([
    ['the same', 'abbrev answer : Nat := 2', null, null],
    ['of another value', 'abbrev answer : Nat := 3', 'it states something else', 'belongs to no proof: answer'],
    ['of another kind', 'axiom answer : Nat', 'it states something else', 'belongs to no proof: answer'],
    ['more', 'abbrev answer : Nat := 2\nabbrev more : Nat := 3', null, 'belongs to no proof: more'],
  ])('is judged where its definitions are %s', async (name, written, ofTheorem, ofModule) => {
    const directory = join(scratchDirectory, `judged-${name.replaceAll(' ', '-')}`);
    const text = `${written}\ntheorem claim : answer = answer := rfl\n`;
    const { path } = await compileModule({ ...bounds(), module: 'Proofs', text, directory, deadlineMs: 60_000 });
    const judge = async (statedPath: string) => {
      const asked = [{ name: 'claim', stated: statedName(0) }];
      const report = await inspectModule({ ...bounds(), path: path!, indexFolder: null, asked, statedPath });
      if ('unread' in report) throw new Error(report.unread);
      const { toleratesLibraryAxioms } = environment;
      return findProofs(report, {
        importLines: [],
        unreadable: new Map(),
        toleratesLibraryAxioms,
        mayShare: false,
        mayMark: false,
      });
    };
    const found = await judge(stated.together);
    if (ofTheorem === null) expect(found.theorems[0]).toMatchObject({ objection: null, kernel: 'accepted' });
    else expect(found.theorems[0]!.objection).toContain(ofTheorem);
    if (ofModule === null) expect(found.objection).toBeNull();
    else expect(found.objection).toContain(ofModule);
    // Where each statement has a namespace of its own, no definition of the proofs has its name.
    expect((await judge(stated.apart)).objection).toContain('belongs to no proof: answer');
  });
});

test('a file of kept proofs holds several definitions of one name, and Lean accepts it by itself', async () => {
  const proof = (name: string, header: string, statement: string): ProofText => ({
    ...{ name: `Kept.${name}`, header, statement, proof: 'rfl', premises: [] },
  });
  const proofs = [
    proof('two', 'open Nat\nabbrev answer : Nat := 2', 'theorem a : 1 + 1 = answer'),
    proof('three', 'abbrev answer : Nat := 3', 'theorem a : 1 + 2 = answer'),
    proof('again', 'abbrev answer : Nat := 3', 'theorem b : 2 + 1 = answer'),
    proof('scopes', 'noncomputable section\nnamespace Own\ndef answer := 4\nsection S', 'theorem a : 4 = answer'),
    proof('none', 'namespace Own', 'theorem a : 1 = 1'),
  ];
  const path = join(scratchDirectory, 'Kept.lean');
  writeFileSync(path, keptSection(proofs));
  const { outcome, reason, theorems } = await checkFile(path, environment, { scratchDirectory });
  expect([outcome, reason]).toEqual(['accepted', '']);
  expect(theorems.map(({ name, verdict }) => [name, verdict])).toEqual(proofs.map(({ name }) => [name, 'accepted']));
});
