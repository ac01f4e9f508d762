/**
 * The further checkers of a certificate, by doubles that are there, absent, refusing, declining, crashing and hanging, and
 * the comparison of statements with real Lean. Some fifteen seconds of a core.
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { machineSandbox } from '../../../../test/support/sandbox.ts';
import { coreEnvironment, scratchFolder } from '../../testing/environment.ts';
import { compileModule } from '../object/compiled-module.ts';
import { judgeModule } from '../object/judge-module.ts';
import { compileStatements, statedName } from '../object/stated-module.ts';
import type { Checker } from './checker.ts';
import { CHECKERS } from './checkers.ts';
import { runCheckers } from './run-checkers.ts';
import { answerOf, runTool } from './run-tool.ts';

const environment = await coreEnvironment();
const sandbox = await machineSandbox(environment);
const walls = sandbox === null ? {} : { sandbox };
const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  process.env.STP_LEANCHECKER = '';
});
afterEach(() => {
  delete process.env.STP_LEANCHECKER;
});

let doubles = 0;
/** Makes a program that replaces leanchecker. It runs in the same sandbox and sees the same files. */
function install(script: string): void {
  const own = join(folder, `double-${doubles++}`);
  mkdirSync(own);
  const path = join(own, 'tool');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  process.env.STP_LEANCHECKER = path;
}

const FILE = 'theorem Kept.one (a b : Nat) : a + b = b + a := Nat.add_comm a b\ntheorem Kept.two : 1 + 1 = 2 := rfl\n';
const STATED = [
  { name: 'Kept.one', opens: '', signature: ' (a b : Nat) : a + b = b + a' },
  { name: 'Kept.two', opens: 'open Nat', signature: ' : 1 + 1 = 2' },
];

let files = 0;
const processContext = { environment, workingDirectory: folder, ...walls };
/** A module of this text, judged for these statements as theorems of one library. */
async function check(text = FILE, stated = STATED) {
  const directory = join(folder, `file-${files++}`);
  const bounds = { processContext, memoryBytesMax: 2_147_483_648 };
  const module = 'StpFile';
  const compiled = await compileModule({ ...bounds, module, text, directory, deadlineMs: 60_000 });
  expect(compiled.path).not.toBeNull();
  const statements = await compileStatements(stated, { ...bounds, importLines: [], directory: `${directory}-stated` });
  const judged = await judgeModule({
    ...bounds,
    directory,
    module,
    text,
    statements,
    indexFolder: null,
    onDisagreement: null,
    asked: stated.map(({ name }, index) => ({ name, stated: statedName(index) })),
    expected: { importLines: [], mayShare: true, mayMark: false },
  });
  if ('unread' in judged) throw new Error(judged.unread);
  const { theorems, objection, checks } = judged;
  return {
    verdicts: theorems.map((theorem) =>
      theorem.objection !== null ? 'rejected' : objection !== null ? 'unchecked' : 'accepted',
    ),
    messages: theorems.map((theorem) => theorem.objection ?? objection),
    checks: Object.fromEntries(checks.map(({ by, outcome }) => [by, outcome])),
    judged,
  };
}

/** The same checkers over a module that Lean did not make: what the doubles look at. */
async function look(checkers: readonly Checker[] = CHECKERS) {
  const directory = join(folder, `module-${files++}`);
  mkdirSync(directory);
  writeFileSync(join(directory, 'StpModule.olean'), 'compiled');
  const searchPath = [directory];
  const file = {
    processContext: { environment: { ...environment, searchPath }, workingDirectory: directory, ...walls },
    directory,
    module: 'StpModule',
    theorems: ['Kept.one', 'Kept.two'],
    memoryBytesMax: 1_000_000_000,
  };
  const { records, objections, declinedBy } = await runCheckers(checkers, file);
  return { outcomes: records.map(({ outcome }) => outcome), version: records[0]!.version, objections, declinedBy };
}

describe('checkers', () => {
  test('that are not there are recorded as absent, never as passed, and take nothing away', async () => {
    const { verdicts, checks, judged } = await check();
    expect(verdicts).toEqual(['accepted', 'accepted']);
    expect(checks).toEqual({
      object: 'accepted',
      'second kernel': 'accepted',
      leanchecker: 'absent',
    });
    expect(judged.checks.at(-1)!.version).toBeNull();
  });

  test('one that is named and not there is an error, since somebody relies on it', async () => {
    process.env.STP_LEANCHECKER = join(folder, 'nowhere');
    await expect(check()).rejects.toMatchObject({
      code: 'STP1201',
      message: expect.stringContaining('STP_LEANCHECKER'),
    });
  });

  test('that accept are recorded with what they are; they see the module and nothing that could be changed', async () => {
    install(
      `module=$1
for folder in $(echo "$LEAN_PATH" | tr ':' ' '); do [ -f "$folder/$module.olean" ] && at=$folder; done
[ -n "$at" ] && [ -n "$LEAN_SYSROOT" ] || exit 1
${sandbox === null ? 'exit 0' : 'echo x 2>/dev/null >"$at/$module.olean" && exit 1; exit 0'}`,
    );
    const { outcomes, version, objections } = await look();
    expect([outcomes, [...objections]]).toEqual([['accepted'], []]);
    expect(version).toMatch(/^sha256:[0-9a-f]{16}$/);
  });

  test.each([
    ['refuses', 'echo "unsound" >&2; exit 1', 'refused', /leanchecker refuses it: unsound/],
    ['crashes', 'kill -SEGV $$', 'failed', /leanchecker gave no verdict: crashed/],
    ['ends with a code of its own', 'exit 7', 'failed', /gave no verdict/],
    ['cannot be started', 'exec /no/such/program', 'failed', /gave no verdict: not-started/],
  ])('one that %s speaks against every theorem of the module', async (_, script, outcome, message) => {
    install(script);
    const { outcomes, objections } = await look();
    expect(outcomes).toEqual([outcome]);
    expect(objections.get(null)).toMatch(message);
  });

  test('nothing stands that one of them speaks against, and nobody is blamed by a guess', async () => {
    install('echo "unsound" >&2; exit 1');
    const { verdicts, messages, checks } = await check();
    expect(verdicts).toEqual(['unchecked', 'unchecked']);
    expect(messages[0]).toBe('leanchecker refuses it: unsound');
    expect(checks.leanchecker).toBe('refused');
  });

  test('one that hangs is ended, and what it started with it', async () => {
    const exit = await runTool(
      { processContext: { environment, workingDirectory: folder, ...walls }, memoryBytesMax: 1_000_000_000 },
      { command: ['/bin/sh', '-c', 'sleep 600 & sleep 600'], workingDirectory: folder, timeoutMs: 50 },
    );
    expect(exit.how).toBe('deadline');
    expect(answerOf(exit, [1]).outcome).toBe('failed');
  });

  test('one that cannot tell of a theorem takes nothing away', async () => {
    const unsure: Checker = {
      name: 'unsure',
      version: async () => '1',
      check: async () => ({ outcome: 'declined', detail: 'too deep', theorems: ['Kept.two'] }),
    };
    const { outcomes, objections, declinedBy } = await look([unsure]);
    expect([outcomes, [...objections], [...declinedBy]]).toEqual([['declined'], [], [['Kept.two', ['unsure']]]]);
  });
});

describe('the object of a file of proofs', () => {
  test('refuses the theorem that says something else, and it alone', async () => {
    const stated = [STATED[0]!, { ...STATED[1]!, signature: ' : 1 + 1 = 3' }];
    const { verdicts, messages } = await check(FILE, stated);
    expect(verdicts).toEqual(['accepted', 'rejected']);
    expect(messages[1]).toBe('it states something else than was to be proved');
  });

  test('refuses a weaker theorem, one about other types, and one that nobody asked for', async () => {
    const text = [
      'theorem Kept.one (a b : Nat) (h : a = b) : a + b = b + a := Nat.add_comm a b',
      'theorem Kept.two : (1 : Int) + 1 = 2 := rfl',
      'theorem Kept.three : True := trivial',
    ].join('\n');
    expect((await check(`${text}\n`, STATED)).checks.object).toBe('refused');
    const known = text.split('\n').slice(0, 2).join('\n');
    expect((await check(`${known}\n`, STATED)).verdicts).toEqual(['rejected', 'rejected']);
  });

  test('sees through what a proof above has done to the meaning of later words', async () => {
    const text = `theorem Kept.one (a b : Nat) : a + b = b + a := Nat.add_comm a b
local instance : Add Nat := ⟨fun left _ => left⟩
theorem Kept.two : 1 + 1 = 1 := rfl
`;
    const stated = [STATED[0]!, { name: 'Kept.two', opens: '', signature: ' : 1 + 1 = 1' }];
    const result = await check(text, stated);
    expect(result.verdicts).toEqual(['unchecked', 'rejected']);
    expect(result.messages[0]).toMatch(/belongs to no proof: .*Add/);
  });

  test('sees through it also where it reaches beyond the file', async () => {
    const text = `instance (priority := 10000) evil : Add Nat := ⟨fun left _ => left⟩
theorem Kept.one (a b : Nat) : a + b = a := rfl
theorem Kept.two : 1 + 1 = 1 := rfl
`;
    const stated = [
      { name: 'Kept.one', opens: '', signature: ' (a b : Nat) : a + b = a' },
      { name: 'Kept.two', opens: '', signature: ' : 1 + 1 = 1' },
    ];
    const result = await check(text, stated);
    expect(result.verdicts).toEqual(['rejected', 'rejected']);
  });

  test('takes no help from a coercion that rests on more than the theorem does', async () => {
    const text = `axiom cheat : 1 + 1 = 1
instance : Coe True (1 + 1 = 1) := ⟨fun _ => cheat⟩
theorem Kept.two : True := trivial
`;
    const stated = [{ name: 'Kept.two', opens: '', signature: ' : 1 + 1 = 1' }];
    const { verdicts, messages } = await check(text, stated);
    expect(verdicts).toEqual(['rejected']);
    expect(messages[0]).toBe('it states something else than was to be proved');
  });

  test('refuses a statement that cannot be read without the proofs, and compares the others', async () => {
    const text = `def Hidden : Prop := True\ntheorem Kept.one : Hidden := trivial\ntheorem Kept.two : 1 + 1 = 2 := rfl\n`;
    const stated = [{ name: 'Kept.one', opens: '', signature: ' : Hidden' }, STATED[1]!];
    // What the file adds beside its proofs leaves none of them certified here; alone the second one is.
    expect((await check(text, stated)).verdicts).toEqual(['rejected', 'unchecked']);
    const wrong = [stated[0]!, { ...STATED[1]!, signature: ' : 1 + 1 = 3' }];
    expect((await check(text, wrong)).verdicts).toEqual(['rejected', 'rejected']);
  });

  test('takes statements over universes for what they are', async () => {
    const text =
      'theorem Kept.one.{u} {α : Sort u} (a : α) : a = a := rfl\ntheorem Kept.two (α : Type _) (a : α) : a = a := rfl\n';
    const stated = [
      { name: 'Kept.one', opens: '', signature: '.{u} {α : Sort u} (a : α) : a = a' },
      { name: 'Kept.two', opens: '', signature: ' (α : Type _) (a : α) : a = a' },
    ];
    expect((await check(text, stated)).verdicts).toEqual(['accepted', 'accepted']);
  });
});
