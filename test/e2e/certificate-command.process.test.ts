/**
 * Tests `stp verify --certify` and `stp certificate check`: an unchanged certificate is confirmed, an edited one is
 * not.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sha256 } from '@stp/config/ids';
import type { CertificateFile } from '@stp/config/records';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { stp } from '../support/stp.ts';
import { answersOf, fileOf, good } from './verify-rows.ts';

vi.setConfig({ testTimeout: 180_000 });

let directory: string;
let folder: string;
let answers: Record<string, unknown>[];
const rows = [
  good('../a/b'),
  { id: 'twice', statement: 'theorem t : notb true = false', proof: '  rfl' },
  { ...good('open'), proof: '  sorry' },
];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-certificate-'));
  folder = join(directory, 'made', 'here');
  const { stdout } = await stp(['verify', '--json', '--certify', folder, await fileOf(rows, directory)]);
  answers = answersOf(stdout);
}, 180_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

const certificateOf = async (row: number): Promise<CertificateFile> =>
  JSON.parse(await readFile(String(answers[row]!.certificate), 'utf8'));

async function checked(texts: readonly string[], ...options: string[]) {
  const below = await mkdtemp(join(directory, 'check-'));
  const paths = texts.map((_, index) => join(below, `${index}.json`));
  for (const [index, path] of paths.entries()) await writeFile(path, texts[index]!);
  const { stdout, exitCode } = await stp(['certificate', 'check', '--json', ...options, ...paths]);
  return { answers: answersOf(stdout), exitCode };
}

it('keeps verdicts where a certificate cannot be written', async () => {
  const other = join(directory, 'taken');
  await mkdir(join(other, basename(String(answers[0]!.certificate))), { recursive: true });
  const written = await stp(['verify', '--json', '--certify', other, await fileOf(rows, directory)]);
  expect(written.exitCode).toBe(1);
  expect(written.stderr).toContain('certificates that could not be written: 1');
  const [first, second, third] = answersOf(written.stdout);
  expect(first).toMatchObject({
    verdict: 'proved',
    certificate: null,
    message: expect.stringContaining('not written'),
  });
  expect(second).toMatchObject({ verdict: 'proved', certificate: expect.stringContaining(other) });
  expect(third!.verdict).toBe(answers[2]!.verdict);
  expect((await readdir(other)).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

it('writes a file for each proof, below the folder, with the texts and what was found', async () => {
  expect(answers.map((answer) => 'certificate' in answer)).toEqual([true, true, false]);
  expect(await readdir(folder)).toHaveLength(2);
  expect(await certificateOf(0)).toMatchObject({
    format: 'stp-certificate/1',
    header: 'import Init',
    statement: good('').statement,
    proof: good('').proof,
    statementHash: sha256(good('').statement),
    axioms: answers[0]!.axioms,
  });
  // The library's header is written out.
  expect((await certificateOf(1)).header).toContain('import Stp');
});

it.each(['/proc/none/made', '/dev/null/made', '/dev/null', '/proc'])(
  'says so where no folder can be written: %s',
  async (none) => {
    const refused = await stp(['verify', '--certify', none, await fileOf([good('a')], directory)]);
    expect(refused).toMatchObject({ exitCode: 1, all: expect.stringContaining('STP1401') });
  },
);

it('confirms them, and says of an edited one what differs', async () => {
  const [first, second] = [await certificateOf(0), await certificateOf(1)];
  const other = 'theorem t (a b : Nat) : a + b = b + a + 1';
  const edited: readonly (readonly [Partial<CertificateFile>, string, readonly string[]])[] = [
    [{}, 'confirmed', []],
    [{ statement: other }, 'differs', ['statementHash']],
    [{ statement: other, statementHash: sha256(other) }, 'refused', []],
    [{ axioms: [...first.axioms, 'cheat'] }, 'differs', ['axioms']],
    [{ claim: 'checked by hand' }, 'differs', ['claim']],
    [{ leanVersion: 'Lean 9' }, 'differs', ['leanVersion']],
    [{ proof: '  sorry', proofHash: sha256('  sorry') }, 'refused', []],
  ];
  const texts = edited.map(([change]) => JSON.stringify({ ...first, ...change }));
  const found = await checked([...texts, JSON.stringify(second), 'nonsense']);
  const fieldsOf = (answer: Record<string, unknown>) =>
    (answer.differences as { field: string }[]).map(({ field }) => field);
  expect(found.answers.map((answer) => [answer.verdict, fieldsOf(answer)])).toEqual([
    ...edited.map(([, verdict, fields]) => [verdict, fields]),
    ['confirmed', []],
    ['unchecked', []],
  ]);
  expect(found.answers.at(-1)!.message).toBe('it is no certificate: it is not JSON');
  expect(found.exitCode).toBe(1);
});

it('takes another Lean only where it is told to, and never other axioms', async () => {
  const first = await certificateOf(0);
  const otherLean = JSON.stringify({ ...first, leanVersion: 'Lean 9', fingerprint: '0'.repeat(20) });
  const otherAxioms = JSON.stringify({ ...first, leanVersion: 'Lean 9', axioms: ['cheat'] });
  expect(await checked([otherLean])).toMatchObject({ exitCode: 1, answers: [{ verdict: 'differs' }] });
  expect(await checked([otherLean], '--other-lean')).toMatchObject({
    exitCode: 0,
    answers: [{ verdict: 'confirmed', differences: [{ field: 'leanVersion' }, { field: 'fingerprint' }] }],
  });
  expect(await checked([otherAxioms], '--other-lean')).toMatchObject({ exitCode: 1 });
});

it('looks for no Lean where nothing is a certificate', async () => {
  const { stdout, stderr, exitCode } = await stp(['certificate', 'check', '/dev/zero', directory], {
    env: { STP_LEAN: '/no/such/lean' },
  });
  expect(String(stdout).match(/^unchecked/gmu)).toHaveLength(2);
  expect(stderr).toBe('0 of 2 certificates confirmed');
  expect(exitCode).toBe(2);
});
