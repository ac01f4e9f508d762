/**
 * Problems that bring definitions along, from their rows to certified proofs: two commands, real Lean, a real server. A minute.
 *
 * @module-tag slow
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provedSchema } from '@stp/config/records';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { stp } from '../support/stp.ts';

vi.setConfig({ testTimeout: 600_000 });
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-own-definitions-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const row = (name: string, answer: string) => ({
  name,
  formal_statement: `abbrev solution : Nat := sorry\n-- ${answer}\n/-- What is 1 + 1? -/\ntheorem ${name} : 1 + 1 = solution :=\nsorry`,
  header: 'import Init',
  split: 'putnam',
});

const about = (name: string, twice: string) => ({
  ...{ name, header: 'import Init', split: 'putnam' },
  formal_statement: `def twice : Nat → Nat\n${twice}\ntheorem ${name} (n : Nat) : twice n = 2 * n :=\nsorry`,
});

it('an evaluation proves those that hold, and gives them certificates', async () => {
  const input = join(directory, 'rows.jsonl');
  const rows = [
    ...[row('right', '2'), row('wrong', '3'), row('unread', 'nonsense')],
    // Two definitions of one name.
    about('recursive', '| 0 => 0\n| n + 1 => twice n + 2'),
    about('direct', '| n => n + n'),
  ];
  await writeFile(input, rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const env = { STP_DATA: join(directory, 'data') };
  const prepared = await stp(['data', 'prepare', '--from', 'putnam', '--input', input, '--json'], { env });
  expect(JSON.parse(String(prepared.stdout))).toMatchObject([{ heldOut: 5, skipped: 0, withDefinitions: 5 }]);
  const run = join(directory, 'run');
  const options = ['--prover', 'scripts', '--problems', 'putnam', '--preset', 'smoke', '--run-dir', run];
  const { exitCode, all } = await stp(['eval', ...options], { env });
  expect([exitCode, all]).toEqual([0, expect.stringContaining('3 of 5 statements proved')]);
  const files = (await readdir(join(run, 'evaluation'))).filter((file) => /^proved.*\.jsonl$/u.test(file));
  const proved = (await readFile(join(run, 'evaluation', files[0]!), 'utf8')).trim().split('\n');
  const records = proved.map((line) => provedSchema.parse(JSON.parse(line)));
  expect(records.map(({ name }) => name).sort()).toEqual(['direct', 'recursive', 'right']);
  for (const { header, certificate } of records) {
    expect(header).toMatch(/^import Init\n\n(?:abbrev solution|def twice) /u);
    expect(certificate).not.toBeNull();
  }
});
