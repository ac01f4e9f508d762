/** Problems that bring definitions along, from their rows to certified proofs: two commands, real Lean, a real server. A minute. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { evaluationReportSchema } from '../../data/schemas/evaluation.ts';
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

it('an evaluation proves those that hold, and gives them certificates', async () => {
  const input = join(directory, 'rows.jsonl');
  const rows = [row('right', '2'), row('wrong', '3'), row('unread', 'nonsense')];
  await writeFile(input, rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const env = { STP_DATA: join(directory, 'data') };
  const prepared = await stp(['data', 'prepare', '--from', 'putnam', '--input', input, '--json'], { env });
  expect(JSON.parse(String(prepared.stdout))).toMatchObject([{ heldOut: 3, skipped: 0, withDefinitions: 3 }]);
  const run = join(directory, 'run');
  const options = ['--model', 'portfolio', '--problems', 'putnam', '--preset', 'smoke', '--run-dir', run];
  const { exitCode, all } = await stp(['eval', ...options], { env });
  expect([exitCode, all]).toEqual([0, expect.stringContaining('1 of 3 statements proved, 1 with a certified proof')]);
  const report = evaluationReportSchema.parse(JSON.parse(await readFile(join(run, 'evaluation.json'), 'utf8')));
  expect(JSON.stringify(report)).toContain('putnam');
});
