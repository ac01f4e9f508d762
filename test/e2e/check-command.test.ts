/** `stp check FILE.lean`: a line a theorem, and exit codes that scripts can rely on. Costs about 15 s. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stp } from '../support/stp.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-check-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function check(source: string) {
  const path = join(directory, 'File.lean');
  await writeFile(path, source);
  const result = await stp(['check', '--json', path]);
  const lines = String(result.stdout)
    .split('\n')
    .filter((line) => line !== '');
  return { exitCode: result.exitCode, theorems: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

it('accepts what holds, exit 0', async () => {
  const { exitCode, theorems } = await check(
    'theorem a (n : Nat) : n + 0 = n := rfl\nnamespace B\ntheorem b : 1 + 1 = 2 := by decide\nend B\n',
  );
  expect(exitCode).toBe(0);
  expect(theorems).toEqual([
    { name: 'a', verdict: 'accepted', line: 1, column: 0, message: '', axioms: expect.any(Array) },
    { name: 'B.b', verdict: 'accepted', line: 3, column: 0, message: '', axioms: expect.any(Array) },
  ]);
});

it.each([
  ['sorry', 'theorem a : 1 = 2 := sorry'],
  ['sorry behind another theorem', 'theorem z : 1 = 2 := sorry\ntheorem a : 1 = 2 := z'],
  ['an axiom of its own', 'axiom z : 1 = 2\ntheorem a : 1 = 2 := z'],
  ['a wrong proof', 'theorem a : 1 = 2 := rfl'],
])('rejects %s, exit 1', async (_, source) => {
  const { exitCode, theorems } = await check(`${source}\ntheorem good : 1 = 1 := rfl\n`);
  expect(exitCode).toBe(1);
  expect(theorems.find((theorem) => theorem.name === 'a')).toMatchObject({ verdict: 'rejected' });
});

it.each([
  ['an empty file', ''],
  [
    'a file that redefines how axioms are printed',
    'macro "#print" "axioms" x:ident : command => `(example : True := trivial)\ntheorem a : 1 = 1 := rfl',
  ],
])('cannot tell of %s, exit 2', async (_, source) => {
  expect((await check(source)).exitCode).toBe(2);
});

it('cannot tell of a file that is not there, exit 2', async () => {
  const result = await stp(['check', join(directory, 'none.lean')]);
  expect(result.exitCode).toBe(2);
  expect(result.all).toContain('no such file');
});
