/** `stp check FILE|FOLDER…`: one line per theorem, and exit codes for scripts. Costs about 70 s. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { secondsValue } from '../../cli/shared/options.ts';
import { stp } from '../support/stp.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-check-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function check(source: string) {
  const path = join(directory, 'File.lean');
  await writeFile(path, source);
  const result = await stp(['check', '--json', path]);
  const objects = jsonLines(result.stdout);
  return { exitCode: result.exitCode, theorems: objects.slice(0, -1), file: objects.at(-1) };
}

function jsonLines(text: unknown): Record<string, unknown>[] {
  return String(text)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A folder of its own with these files. */
async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(directory, 'folder-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

const GOOD = 'theorem good : 1 = 1 := rfl\n';
const BAD = 'theorem bad : 1 = 2 := rfl\n';

it('accepts what holds, exit 0', async () => {
  const { exitCode, theorems, file } = await check(
    'theorem a (n : Nat) : n + 0 = n := rfl\nnamespace B\ntheorem b : 1 + 1 = 2 := by decide\nend B\n',
  );
  expect(exitCode).toBe(0);
  const path = join(directory, 'File.lean');
  expect(file).toEqual({
    file: path,
    outcome: 'accepted',
    reason: '',
    theorems: { accepted: 2, rejected: 0, unchecked: 0 },
    checks: expect.arrayContaining([expect.objectContaining({ by: 'lean', outcome: 'accepted' })]),
    sandbox: { kind: expect.any(String), description: expect.any(String) },
  });
  expect(theorems).toEqual([
    { file: path, name: 'a', verdict: 'accepted', line: 1, column: 0, message: '', axioms: expect.any(Array) },
    { file: path, name: 'B.b', verdict: 'accepted', line: 3, column: 0, message: '', axioms: expect.any(Array) },
  ]);
});

it.each([
  ['sorry', 'theorem a : 1 = 2 := sorry'],
  ['sorry behind another theorem', 'theorem z : 1 = 2 := sorry\ntheorem a : 1 = 2 := z'],
  ['an axiom of its own', 'axiom z : 1 = 2\ntheorem a : 1 = 2 := z'],
])('rejects %s, exit 1', async (_, source) => {
  const { exitCode, theorems } = await check(`${source}\ntheorem good : 1 = 1 := rfl\n`);
  expect(exitCode).toBe(1);
  expect(theorems.find((theorem) => theorem.name === 'a')).toMatchObject({ verdict: 'rejected' });
});

it('rejects a file with a wrong proof, with the place, exit 1, and judges its other theorems', async () => {
  const { exitCode, theorems, file } = await check('theorem a : 1 = 2 := rfl\ntheorem good : 1 = 1 := rfl\n');
  expect(exitCode).toBe(1);
  expect(theorems).toMatchObject([
    { name: 'a', verdict: 'rejected', message: expect.stringMatching(/^1:0: /) },
    { name: 'good', verdict: 'accepted' },
  ]);
  expect(file).toMatchObject({ outcome: 'rejected', reason: expect.stringContaining('in line 1') });
});

it('rejects a file that Lean does not compile without its proofs either, with the place, exit 1', async () => {
  const { exitCode, theorems, file } = await check('theorem a : Nothing.x = 2 := rfl\ntheorem good : 1 = 1 := rfl\n');
  expect([exitCode, theorems]).toEqual([1, []]);
  expect(file).toMatchObject({ outcome: 'rejected', reason: expect.stringMatching(/^1:12: /) });
});

it.each([
  ['an empty file', ''],
  [
    'a file that redefines how axioms are printed',
    'macro "#print" "axioms" x:ident : command => `(example : True := trivial)\ntheorem a : 1 = 1 := rfl',
  ],
])('cannot tell of %s, exit 2', async (_, source) => {
  const { exitCode, file } = await check(source);
  expect(exitCode).toBe(2);
  expect(file).toMatchObject({ outcome: 'unchecked', reason: expect.stringMatching(/./) });
});

it('says why a file as a whole is rejected', async () => {
  const { exitCode, file } = await check(`${GOOD}def two : 1 = 2 := rfl\n`);
  expect(exitCode).toBe(1);
  expect(file).toMatchObject({ outcome: 'rejected', reason: expect.stringMatching(/^2:/) });
});

it('cannot tell of a file that is not there, exit 2, and looks for no Lean', async () => {
  const path = join(directory, 'none.lean');
  const result = await stp(['check', path], { env: { STP_LEAN: '/no/such/lean' } });
  expect(result.exitCode).toBe(2);
  expect(result.stdout).toMatch(/^unchecked .*none\.lean\n +there is no such file or folder$/);
  expect(jsonLines((await stp(['check', '--json', path])).stdout)).toMatchObject([
    { file: path, outcome: 'unchecked', reason: 'there is no such file or folder', sandbox: null },
  ]);
});

it('says of every file why no Lean looked at it', async () => {
  const folder = await folderWith({ 'a.lean': GOOD, 'b.lean': GOOD });
  const result = await stp(['check', '--json', folder], { env: { STP_LEAN: '/no/such/lean' } });
  expect(result.exitCode).toBe(2);
  expect(jsonLines(result.stdout)).toMatchObject([
    { file: join(folder, 'a.lean'), outcome: 'unchecked', reason: expect.stringContaining('/no/such/lean') },
    { file: join(folder, 'b.lean'), outcome: 'unchecked', reason: expect.stringContaining('/no/such/lean') },
  ]);
});

it('judges files and folders in one call, and the worst decides', async () => {
  const folder = await folderWith({
    'b.lean': GOOD,
    'a/z.lean': GOOD,
    'a/.lake/packages/x.lean': BAD,
    // A program for Lake, no module.
    'lakefile.lean': 'import Lake\nopen Lake DSL\npackage p\n',
    'notes.txt': BAD,
  });
  const outside = await folderWith({ 'bad.lean': BAD });
  await symlink(join(folder, 'b.lean'), join(folder, 'inside.lean'));
  const fine = await stp(['check', '--json', join(folder, 'b.lean'), folder]);
  expect(jsonLines(fine.stdout).map(({ file, name, outcome }) => [file, name ?? outcome])).toEqual([
    [join(folder, 'b.lean'), 'good'],
    [join(folder, 'b.lean'), 'accepted'],
    [join(folder, 'a/z.lean'), 'good'],
    [join(folder, 'a/z.lean'), 'accepted'],
  ]);
  expect(fine.exitCode).toBe(0);
  expect(fine.stderr).toContain('2 files: 2 accepted, 0 rejected, 0 unchecked; 2 of 2 theorems accepted by Lean');

  await symlink(outside, join(folder, 'out'));
  await symlink(join(outside, 'bad.lean'), join(folder, 'out.lean'));
  const led = await stp(['check', folder]);
  expect(led.exitCode).toBe(2);
  expect(led.stdout).not.toContain('bad :');
  expect(String(led.stdout).match(/leads out/g)).toHaveLength(2);

  const worst = await stp(['check', join(folder, 'none'), join(outside, 'bad.lean'), join(folder, 'b.lean')]);
  expect(worst.exitCode).toBe(1);
  expect(worst.stdout).toMatch(
    /^unchecked .*none\n.*\nrejected .*bad\.lean:1:0 bad\n(?: .*\n)*rejected .*bad\.lean\n(?: .*\n)*accepted .* good$/,
  );
  const empty = await folderWith({ 'notes.txt': BAD });
  expect(await stp(['check', empty])).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('no .lean file') });
});

it('shows no control character of names and messages', async () => {
  const path = join(directory, 'Control.lean');
  const name = 'a\u001b[31m\u009b\u202e\u200b';
  await writeFile(path, `theorem «${name}» : 1 = 2 := sorry\ntheorem «b\u007f» : 1 = 1 := rfl\n`);
  const shown = await stp(['check', path]);
  expect(shown.all).toContain('«a\\u{1B}[31m\\u{9B}\\u{202E}\\u{200B}»');
  expect(shown.all).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  const json = await stp(['check', '--json', path]);
  expect(json.stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  expect(jsonLines(json.stdout)[0]).toMatchObject({ name: expect.stringContaining(name) });
});

it('takes a time for a limit, and nothing else', async () => {
  for (const seconds of ['0', '0.5', '-1', '86401', 'soon', '1e3', '', '2.', '0x10'])
    expect(() => secondsValue(seconds)).toThrow('a number of seconds from 1 to 86400');
  expect(['1', '2.5', '86400'].map(secondsValue)).toEqual([1, 2.5, 86_400]);
  const result = await stp(['check', '--timeout', '0', 'none.lean']);
  expect(result.exitCode).toBe(2);
  expect(result.all).toContain('a time must be a number of seconds from 1 to 86400');
});

it('judges a folder whose files import one another, each after what it imports', async () => {
  const folder = await folderWith({
    'Above.lean': 'import Sub.Two\nimport Sum\ntheorem above : two = 2 := two_eq\nexample : sum = 4 := rfl\n',
    'Sub/Two.lean': 'def two := 2\ntheorem two_eq : two = 2 := rfl\n',
    'Sum.lean': 'import Sub.Two\ndef sum := two + two\n',
    'a-b.lean': GOOD,
    'Quoted.lean': 'import «a-b»\ntheorem quoted : 1 = 1 := good\n',
    'Zoo/False.lean': 'namespace Zoo\nabbrev False := 1 = 1\nend Zoo\n',
    'Zoo/On.lean': 'import Zoo.False\ntheorem Zoo.on : False := rfl\n',
  });
  const named = join(folder, 'Sub/Two.lean');
  const { stdout, exitCode } = await stp(['check', '--json', named, folder]);
  const objects = jsonLines(stdout);
  expect(objects.filter(({ name }) => name !== undefined).map(({ name, verdict }) => `${verdict} ${name}`)).toEqual([
    ...['accepted two_eq', 'accepted above', 'accepted example', 'accepted quoted', 'accepted Zoo.on', 'accepted good'],
  ]);
  const hidesIn = (wanted: string) =>
    (objects.find(({ name }) => name === wanted) as unknown as { meaning: { hides: object[] } }).meaning.hides;
  expect(objects.find(({ name }) => name === 'above')).toMatchObject({ meaning: { declared: ['two'] } });
  // A neighbour's declaration must not be mistaken for an imported one.
  expect(hidesIn('above')).toEqual([]);
  expect(hidesIn('Zoo.on')).toEqual([{ name: 'Zoo.False', hidden: 'False' }]);
  expect(objects.filter(({ outcome }) => outcome !== undefined).map(({ outcome }) => outcome)).toEqual(
    Array(7).fill('accepted'),
  );
  expect(exitCode).toBe(0);
});

it('accepts nothing that rests on a neighbour which is not accepted, and says so', async () => {
  const folder = await folderWith({
    'Axiom.lean': 'axiom wish : 1 = 2\n',
    'Broken.lean': BAD,
    'Clash/Init.lean': GOOD,
    'Deep/Below.lean': 'import OnOpen\ntheorem deep : 1 = 2 := rests\ntheorem fine2 : 1 = 1 := fine\n',
    'Init/Own.lean': GOOD,
    'OnAxiom.lean': 'import Axiom\ntheorem wished : 1 = 2 := wish\n',
    'OnBroken.lean': 'import Broken\ntheorem x : 1 = 1 := rfl\n',
    'OnInit.lean': 'import Init.Own\ntheorem x : 1 = 1 := good\n',
    'OnNothing.lean': 'import Mathlib.Tactic\ntheorem x : 1 = 1 := rfl\n',
    'OnOpen.lean': 'import Open\ntheorem rests : 1 = 2 := unproved\ntheorem fine : 1 = 1 := rfl\n',
    'OnRuns.lean': 'import Runs\ntheorem x : 1 = 1 := r\n',
    'Open.lean': 'theorem unproved : 1 = 2 := sorry\n',
    'Round1.lean': 'import Round2\ntheorem x : 1 = 1 := rfl\n',
    'Round2.lean': 'import Round1\ntheorem x : 1 = 1 := rfl\n',
    'Runs.lean': 'run_cmd pure ()\ntheorem r : 1 = 1 := rfl\n',
    'Self.lean': 'import Self\ntheorem x : 1 = 1 := rfl\n',
  });
  const { stdout, exitCode } = await stp(['check', '--json', folder]);
  expect(exitCode).toBe(1);
  const objects = jsonLines(stdout).map((object) => ({
    ...object,
    file: String(object.file).slice(folder.length + 1),
  }));
  const theorems = objects.filter((object) => 'name' in object) as unknown as Record<string, string>[];
  expect(theorems.map(({ file, verdict, name }) => `${file} ${verdict} ${name}`)).toEqual([
    'Axiom.lean rejected wish',
    'Broken.lean rejected bad',
    'Clash/Init.lean accepted good',
    'Deep/Below.lean rejected deep',
    'Deep/Below.lean accepted fine2',
    'Init/Own.lean accepted good',
    'OnAxiom.lean rejected wished',
    'OnOpen.lean rejected rests',
    'OnOpen.lean accepted fine',
    'Open.lean rejected unproved',
  ]);
  const files = new Map(objects.filter((object) => 'outcome' in object).map((object) => [object.file, object]));
  const said = (file: string) => files.get(file) as unknown as { outcome: string; reason: string; notes: string[] };
  expect(said('OnBroken.lean')).toMatchObject({ outcome: 'unchecked', reason: 'imports Broken, which is rejected' });
  expect(said('OnRuns.lean')).toMatchObject({ outcome: 'unchecked', reason: 'imports Runs, which is unchecked' });
  expect(said('Self.lean')).toMatchObject({ outcome: 'unchecked', reason: 'imports Self, which imports this file' });
  expect(said('Round2.lean')).toMatchObject({ reason: 'imports Round1, which imports this file' });
  expect(said('Round1.lean')).toMatchObject({ outcome: 'unchecked', reason: 'imports Round2, which is unchecked' });
  expect(said('OnNothing.lean')).toMatchObject({
    reason: expect.stringMatching(/^imports Mathlib.Tactic.*STP_LEAN_PROJECT$/),
  });
  expect(said('OnNothing.lean').outcome).toBe('unchecked');
  expect(said('OnInit.lean')).toMatchObject({
    outcome: 'unchecked',
    notes: [expect.stringContaining('installed Init.Own')],
  });
  expect(said('Deep/Below.lean').notes).toEqual(['imports OnOpen, which is rejected']);
});

it('with --strict, does not pass what can deceive a reader', async () => {
  const folder = await folderWith({
    'a.lean': 'local instance two : OfNat Nat 2 := ⟨1⟩\ntheorem a : (1 : Nat) = 2 := rfl\n',
    'b.lean': 'namespace N\nabbrev False := 1\nend N\ntheorem b : 1 = 1 := rfl\n',
    'c.lean': GOOD,
  });
  const shown = await stp(['check', folder]);
  expect(shown.exitCode).toBe(0);
  expect(shown.stdout).toMatch(/ a\n +note: its statement rests on .*: two\n/);
  expect(shown.stdout).toMatch(/\nnote .*b\.lean\n +N\.False reads like the imported False\n/);
  for (const file of ['a.lean', 'b.lean'])
    expect((await stp(['check', '--strict', join(folder, file)])).exitCode).toBe(1);
  expect((await stp(['check', '--strict', join(folder, 'c.lean')])).exitCode).toBe(0);
});
