/** `bin/stp verify` as a user starts it: rows in, answers out in order and as they come, and what it says of rows that are none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAttacks } from '../adversarial/attacks.ts';

const REPOSITORY = join(import.meta.dirname, '..', '..');
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-verify-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const stp = (words: readonly string[], input = '') =>
  execa(join(REPOSITORY, 'bin', 'stp'), words, { reject: false, input, cwd: directory });

interface Row {
  readonly id: string;
  readonly header: string | null;
  readonly statement: string;
  readonly proof: string;
}
const TRUE: Row = { id: 'true', header: null, statement: 'theorem t (a b : Nat) : a + b = b + a', proof: '  omega' };
const FALSE: Row = { id: 'false', header: null, statement: 'theorem t : (1 : Nat) = 2', proof: '  rfl' };
const written = (rows: readonly unknown[]): string => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
const read = (text: string): Record<string, unknown>[] => text.split('\n').map((line) => JSON.parse(line));

it('answers every row in order; a proof that does not hold is an answer, exit 0', async () => {
  const path = join(directory, 'rows.jsonl');
  await writeFile(path, written([TRUE, FALSE, { ...TRUE, id: 'again' }]));
  const { stdout, exitCode, stderr } = await stp(['verify', path, '--json']);
  expect(read(stdout)).toEqual([
    { id: 'true', verdict: 'proved', certified: null, axioms: [], checks: [], message: '' },
    { id: 'false', verdict: 'rejected', certified: null, axioms: [], checks: [], message: expect.stringMatching(/./) },
    { id: 'again', verdict: 'proved', certified: null, axioms: [], checks: [], message: '' },
  ]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('3 rows: 2 proved, 1 rejected');
});

it('certifies what is proved, and says by what', async () => {
  const { stdout, exitCode } = await stp(['verify', '-', '--json', '--certify'], written([TRUE, FALSE]));
  const [proved, rejected] = read(stdout);
  expect(proved).toMatchObject({ verdict: 'proved', certified: true });
  const checks = proved!.checks as { by: string; outcome: string }[];
  expect(checks.filter(({ outcome }) => outcome === 'accepted').map(({ by }) => by)).toEqual(
    expect.arrayContaining(['lean', 'object', 'second kernel']),
  );
  expect(rejected).toMatchObject({ verdict: 'rejected', certified: false });
  expect(exitCode).toBe(0);
});

it('tells which line is no row, goes on, and ends with 2', async () => {
  const rows = `nonsense\n${written([{ ...TRUE, extra: 1 }, { id: 'x' }, TRUE])}`;
  const { stdout, exitCode } = await stp(['verify', '-', '--json'], rows);
  const answers = read(stdout);
  expect(answers.map(({ verdict }) => verdict)).toEqual(['invalid', 'invalid', 'invalid', 'proved']);
  expect(answers.map(({ message }) => message)).toEqual([
    expect.stringMatching(/line 1/),
    expect.stringMatching(/line 2/),
    expect.stringMatching(/line 3/),
    '',
  ]);
  expect(exitCode).toBe(2);
  expect(await stp(['verify', join(directory, 'none.jsonl')])).toMatchObject({ exitCode: 2 });
});

it('answers before the last row is there', async () => {
  const child = spawn(join(REPOSITORY, 'bin', 'stp'), ['verify', '-', '--json'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface(child.stdout);
  child.stdin.write(written([TRUE]));
  const [first] = (await once(lines, 'line')) as [string];
  expect(JSON.parse(first)).toMatchObject({ id: 'true', verdict: 'proved' });
  child.stdin.end(written([FALSE]));
  const [second] = (await once(lines, 'line')) as [string];
  expect(JSON.parse(second)).toMatchObject({ id: 'false', verdict: 'rejected' });
  await once(child, 'close');
});

it('proves none of the attacks', async () => {
  const attacks = readAttacks('proof').filter(({ expected }) => expected !== 'timeout');
  const rows = attacks.map(({ name, header, statement, proof }) => ({ id: name, header, statement, proof }));
  const { stdout } = await stp(['verify', '-', '--json'], written(rows));
  const answers = read(stdout);
  expect(answers.map(({ id }) => id)).toEqual(attacks.map(({ name }) => name));
  expect(answers.filter(({ verdict }) => verdict === 'proved')).toEqual([]);
});
