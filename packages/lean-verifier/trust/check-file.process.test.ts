/** Whole files: accepted ones, messages for the others, and invalid files. Real Lean; about six seconds of a core. */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkText, environment, folder, scratchDirectory } from '../testing/checked-file.ts';
import type { LeanEnvironment } from '../verifier.ts';
import { checkFile } from './check-file.ts';

async function check(source: string | Buffer, name = 'File.lean', more: { sparesOthers?: boolean } = {}) {
  const report = await checkText(source, { name, ...more });
  expect(readdirSync(scratchDirectory)).toEqual([]);
  return { ...report, verdicts: report.theorems.map(({ name: theorem, verdict }) => `${verdict} ${theorem}`) };
}

test('theorems wherever they stand are found and accepted', async () => {
  const report = await check(`/-! theorem not_one : False := sorry -/
namespace Foo
/-- Twice. -/
def double (n : Nat) : Nat := n + n

@[simp] theorem double_zero : double 0 = 0 := rfl

private theorem hidden (n : Nat) : double n = 2 * n := by
  unfold double; omega

theorem shown (n : Nat) : double n = 2 * n := hidden n

section
variable (p q : Prop)
theorem Bar.and_swap (h : p ∧ q) : q ∧ p := ⟨h.2, h.1⟩
end

mutual
theorem one : 1 = 1 := rfl
theorem two : 2 = 2 := rfl
end
theorem _root_.Top.level : True := trivial
protected theorem «odd name» : "theorem x : False" = "theorem x : False" := rfl
`);
  expect(report.reason).toBe('');
  expect(report).toMatchObject({ outcome: 'accepted', exit: 'finished' });
  expect(report.verdicts).toEqual([
    'accepted Foo.double_zero',
    'accepted Foo.hidden',
    'accepted Foo.shown',
    'accepted Foo.Bar.and_swap',
    'accepted Foo.one',
    'accepted Foo.two',
    'accepted Top.level',
    'accepted Foo.«odd name»',
  ]);
  expect(report.theorems[0]).toMatchObject({ line: 6, column: 0 });
  expect(report.leanVersion).toBe(environment.version);
});

test('each theorem is judged by what it rests on', async () => {
  const report = await check(`axiom cheat : False
namespace Evil
axiom propext : False
end Evil
theorem a : 1 = 2 := cheat.elim
theorem b : 1 = 2 := Evil.propext.elim
theorem c : 1 = 2 := by sorry
theorem d : 1 = 2 := c
theorem e : 1 = 1 := rfl
private theorem f : 1 = 2 := d
theorem g : 1 = 2 := f
open Evil in
theorem h : 1 = 2 := Evil.propext.elim
theorem i (p : Prop) : p ∨ ¬p := Classical.em p
`);
  expect(report.outcome).toBe('rejected');
  expect(report.verdicts).toEqual([
    'rejected cheat',
    'rejected Evil.propext',
    'rejected a',
    'rejected b',
    'rejected c',
    'rejected d',
    'accepted e',
    'rejected f',
    'rejected g',
    'rejected h',
    'accepted i',
  ]);
  expect(report.theorems[0]!.message).toContain('axiom');
  expect(report.theorems[2]!.message).toContain('cheat');
  expect(report.theorems[3]!.message).toContain('Evil.propext');
});

test('in a file with errors the place is told, and nothing is accepted', async () => {
  const report = await check(
    'theorem a : 1 = 1 := rfl\ntheorem b : 1 = 2 := by\n  omega\n\ntheorem c : 2 = 2 := rfl\n',
  );
  expect(report).toMatchObject({ outcome: 'rejected', theorems: [] });
  expect(report.reason).toMatch(/^3:2: omega/);
});

test('a theorem is found however its name is made, and judged by the object it became', async () => {
  const report = await check(`axiom cheat : False
namespace A.B
theorem inner : 1 = 2 := cheat.elim
end B
theorem outer : 1 = 2 := cheat.elim
end A
theorem alias : 1 = 2 := cheat.elim
section S
open Nat in
theorem after : 1 = 2 := cheat.elim
end S
theorem export.def : 1 = 1 := rfl
`);
  expect(report.verdicts).toEqual([
    'rejected cheat',
    'rejected A.B.inner',
    'rejected A.outer',
    'rejected alias',
    'rejected after',
    'accepted export.def',
  ]);
});

test('an error or an open fact outside the theorems rejects the file', async () => {
  expect((await check('theorem a : 1 = 1 := rfl\nexample : 1 = 2 := sorry\n')).outcome).toBe('rejected');
  expect((await check('theorem a : 1 = 1 := rfl\ndef f : Nat := nonsense\n')).outcome).toBe('rejected');
});

test.each<[string, string | Buffer, RegExp]>([
  ['an empty file', ' \n', /empty/],
  ['a binary file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), /no text/],
  ['text that is not UTF-8', Buffer.from([0x74, 0xff, 0xfe, 0x20]), /UTF-8/],
  ['a byte order mark, which Lean refuses', '\uFEFFtheorem a : True := trivial\n', /byte order mark/],
  ['a huge file', Buffer.alloc(5_000_000, 'a'), /larger/],
  ['a file that does not end', 'theorem a : True := trivial /- ', /does not end/],
])('%s is unchecked', async (_, source, reason) => {
  const report = await check(source);
  expect(report).toMatchObject({ outcome: 'unchecked', exit: null });
  expect(report.reason).toMatch(reason);
});

test('a file without theorems is unchecked', async () => {
  const report = await check('def f := 1\n');
  expect(report).toMatchObject({ outcome: 'unchecked', exit: 'finished', reason: 'the file holds no theorem' });
});

test('a missing file and a folder are unchecked', async () => {
  const missing = await checkFile(join(folder, 'Nowhere.lean'), environment, { scratchDirectory });
  expect(missing).toMatchObject({ outcome: 'unchecked', reason: 'there is no such file' });
  expect(await checkFile(folder, environment, { scratchDirectory })).toMatchObject({ outcome: 'unchecked' });
});

test('a Lean that cannot be started, and a file that takes too long, are unchecked', async () => {
  const path = join(folder, 'Good.lean');
  writeFileSync(path, 'theorem a : 1 = 1 := rfl\n');
  const broken = { ...environment, executable: '/nonexistent/lean' };
  expect(await checkFile(path, broken, { scratchDirectory })).toMatchObject({
    outcome: 'unchecked',
    exit: 'not-started',
  });
  writeFileSync(path, 'theorem a : (List.range 100000000).length = 3 := by decide +kernel\n');
  const late = await checkFile(path, environment, { scratchDirectory, timeoutMs: 1_000 });
  expect(late).toMatchObject({ outcome: 'unchecked', exit: 'deadline', theorems: [] });
  expect(late.reason).toContain('time limit');
  const large = await checkFile(path, environment, { scratchDirectory, memoryBytesMax: 50_000_000 });
  expect(large).toMatchObject({ outcome: 'unchecked', exit: 'memory' });
});

/** Lean, with something that another program does beside it. */
function besideLean(name: string, script: string): LeanEnvironment {
  const executable = join(folder, name);
  writeFileSync(executable, `#!/bin/sh\nfor word; do [ "$last" = -o ] && module=$word; last=$word; done\n${script}\n`);
  chmodSync(executable, 0o755);
  return { ...environment, executable };
}

test.each([
  ['another module beside it', `[ -z "$module" ] || echo x >"$(dirname "$module")/Init.olean"; exec "$lean" "$@"`],
  [
    'a link in its place',
    `"$lean" "$@" || exit; [ -z "$module" ] || { mv "$module" "$module.x"; ln -s "$module.x" "$module"; }`,
  ],
])('what leaves %s while it is compiled is not judged', async (_, script) => {
  const path = join(folder, 'Honest.lean');
  writeFileSync(path, 'theorem one : 1 = 1 := rfl\n');
  const stand = besideLean(`lean-${script.length}`, `lean='${environment.executable}'\n${script}`);
  const report = await checkFile(path, stand, { scratchDirectory });
  expect(report).toMatchObject({ outcome: 'unchecked', reason: expect.stringContaining('more than its module') });
  expect(readdirSync(scratchDirectory)).toEqual([]);
});

test.each([1, 2])(
  'somebody else who kills Lean at start %i of a check changes nothing of what it finds',
  async (at) => {
    const path = join(folder, 'Honest.lean');
    writeFileSync(path, 'theorem one : 1 = 1 := rfl\ntheorem two : 2 = 2 := by sorry\n');
    const starts = join(folder, `starts-${at}`);
    writeFileSync(starts, '');
    const stand = besideLean(
      `killed-${at}`,
      `echo x >>'${starts}'
[ "$(wc -l <'${starts}')" -ne ${at} ] || { [ -z "$module" ] || echo half >"$module.tmp"; kill -KILL $$; }
exec '${environment.executable}' "$@"`,
    );
    const stated = ['one : 1 = 1', 'two : 2 = 2'].map((statement) => ({
      name: statement.slice(0, 3),
      opens: '',
      signature: statement.slice(3),
    }));
    const options = { scratchDirectory, certificate: { stated, importLines: [] } };
    const { outcome, theorems } = await checkFile(path, stand, options);
    const undisturbed = await checkFile(path, environment, options);
    expect({ outcome, theorems }).toEqual({ outcome: undisturbed.outcome, theorems: undisturbed.theorems });
    expect(undisturbed.theorems.map(({ verdict }) => verdict)).toEqual(['accepted', 'rejected']);
    expect(readFileSync(starts, 'utf8').split('\n').length - 1).toBeGreaterThan(at);
  },
);

test('a file with Lean’s `module` header is judged where the library is compiled for it, and the reason is said where not', async () => {
  const report = await check('module\n\npublic import Init\n\npublic section\ntheorem a : 1 = 1 := rfl\nend\n');
  if (environment.source === 'assembled') {
    expect(report).toMatchObject({
      outcome: 'unchecked',
      reason: expect.stringMatching(/`module` header.*released Lean/),
    });
  } else expect(report.verdicts).toEqual(['accepted a']);
  expect((await check('prelude\naxiom a : Prop\n')).reason).toMatch(/^File.lean:1:0: prelude/);
});

test('a file whose imports are not installed is unchecked, and the way out is named', async () => {
  const report = await check('import Init\nimport Nowhere.Else\ntheorem a : 1 = 1 := rfl\n');
  expect(report).toMatchObject({ outcome: 'unchecked', exit: null });
  expect(report.reason).toMatch(/^imports Nowhere\.Else, which is not here.*STP_LEAN_PROJECT/);
});

test('the other theorems of a file with wrong proofs are judged, and nothing that rests on a wrong one is accepted', async () => {
  const source = `theorem a : 1 = 1 := rfl

/-- wrong -/
@[simp] theorem b (n : Nat) : n = n + 1 := by
  -- no
  omega

theorem uses : 3 = 4 := b 3
theorem bySimp : 3 = 4 := by
  have := b 3
  simpa using this
namespace N
  theorem e : 5 = 5 := by
    rfl
  theorem f : 5 = 6 := by
    rfl
end N
example : 1 = 2 := by decide
example : 1 = 1 := rfl
theorem g : 2 = 2 := by rfl
`;
  const report = await check(source, 'File.lean', { sparesOthers: true });
  expect(report.outcome).toBe('rejected');
  expect(report.verdicts).toEqual([
    'accepted a',
    'rejected b',
    'rejected uses',
    'rejected bySimp',
    'accepted N.e',
    'rejected N.f',
    'accepted g',
  ]);
  expect(report.theorems[1]!.message).toMatch(/^6:2: omega could not prove the goal/u);
  expect(report.theorems[2]!.message).toContain('sorry');
  expect(report.examples!.map(({ verdict }) => verdict)).toEqual(['rejected', 'accepted']);
  expect(report.reason).toContain('in lines 4, 9, 15, 18');
  expect((await check(source)).theorems).toEqual([]);
});

test.each([
  ['an error that is in no proof', 'def x : Nat := nothing\ntheorem a : 1 = 1 := rfl\n'],
  ['a statement that cannot be read', 'theorem a : Nothing.x = 1 := rfl\ntheorem b : 1 = 1 := rfl\n'],
  [
    'a statement that no longer holds together without a wrong proof’s helper',
    'theorem a : 1 = 2 := h where\n  h : 1 = 2 := by decide\ntheorem b : a.h = a.h := rfl\n',
  ],
  ['a macro', 'macro "yes" : term => `(True)\ntheorem a : 1 = 2 := rfl\ntheorem b : yes := trivial\n'],
])('no theorem of a file has a verdict behind %s', async (_, source) => {
  const report = await check(source, 'File.lean', { sparesOthers: true });
  expect(report.outcome).not.toBe('accepted');
  expect(report.theorems).toEqual([]);
});

test('what a wrong proof hides from later statements stays there: an opened namespace', async () => {
  const source = `namespace M
def x : Nat := 1
end M
theorem bad : 1 = 2 := rfl
    open M
theorem later : x = 1 := rfl
`;
  const report = await check(source, 'File.lean', { sparesOthers: true });
  expect(report.verdicts).toEqual(['rejected bad', 'accepted later']);
});
