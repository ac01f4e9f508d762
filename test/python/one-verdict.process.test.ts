/**
 * The same rows judged through the command line, the Python package, an agent's client, Kimina's and AXLE's: one verdict. About
 * a minute of a core.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { builtProject, openedClient } from '../mcp/opened.ts';
import { startLeanService } from '../support/lean-service.ts';
import { REPOSITORY, stp } from '../support/stp.ts';
import { systemPython } from './python.ts';
import { smallPython } from './small-environment.ts';

const ROWS = [
  { statement: 'theorem add (a b : Nat) : a + b = b + a', proof: '  omega', verdict: 'proved' },
  { statement: 'theorem app (xs : List Nat) : xs ++ [] = xs', proof: '  induction xs <;> simp', verdict: 'proved' },
  { statement: 'theorem open (n : Nat) : n * 1 = n', proof: '  sorry', verdict: 'sorry' },
  { statement: 'theorem false (n : Nat) : n + 1 = n', proof: '  simp', verdict: 'rejected' },
  { statement: 'theorem axiom (n : Nat) : n = 7', proof: '  exact sorryAx _ false', verdict: 'sorry' },
].map((row, index) => ({
  id: String(index),
  header: 'import Init',
  ...row,
  statement: row.statement.replace(/ (\w+)/u, ' $1_row'),
}));
const PROVED = ROWS.map(({ verdict }) => verdict === 'proved');
const PACKAGE = `
import json, sys
from stp_verifier import Row, Verifier
given = json.load(sys.stdin)
with Verifier(given["url"]) as verifier:
    print(json.dumps([found.verdict for found in verifier.verify(Row(**row) for row in given["rows"])]))
`;

const kimina = await smallPython('kimina', "one verdict through Kimina's client");
const axle = await smallPython('axle', "one verdict through AXLE's client");
const python = systemPython()?.command;

it.skipIf(kimina === null || axle === null || python === undefined)(
  'rows have one verdict, whoever asks',
  { tags: ['slow'], timeout: 280_000 },
  async () => {
    const service = await startLeanService();
    onTestFinished(() => service.close());
    const { url, scratch } = service;
    const files = ROWS.map(({ header, statement, proof }) => `${header}\n\n${statement} := by\n${proof}\n`);
    const file = join(scratch, 'rows.jsonl');
    writeFileSync(file, ROWS.map((row) => `${JSON.stringify(row)}\n`).join(''));

    const command = await stp(['verify', file, '--json', '--sandbox', 'where-available']);
    const lines = String(command.stdout).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { verdict: string }).verdict)).toEqual(
      ROWS.map(({ verdict }) => verdict),
    );

    const rows = ROWS.map(({ header, statement, proof }) => ({ header, statement, proof }));
    const { stdout } = await execa(python!, ['-c', PACKAGE], {
      input: JSON.stringify({ url, rows }),
      env: { PYTHONPATH: join(REPOSITORY, 'packages/python/src'), PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(JSON.parse(stdout)).toEqual(ROWS.map(({ verdict }) => verdict));

    const project = await builtProject();
    onTestFinished(() => project.remove());
    const agent = await openedClient(project.folder);
    onTestFinished(() => agent.client.close());
    const found: unknown[] = [];
    for (const row of rows) found.push((await agent.call('verify_proof', row)).verdict);
    expect(found).toEqual(ROWS.map(({ verdict }) => verdict));

    const calls = ROWS.map(({ statement }, index) => [
      'verify_proof',
      { formal_statement: `${statement} := by sorry`, content: files[index]!, environment: 'lean-4.35.0' },
    ]);
    const answers = (await axle!('axle_calls.py', { url, key: '', calls })) as { okay: boolean }[];
    expect(answers.map(({ okay }) => okay)).toEqual(PROVED);

    // Kimina's client reads Lean's messages: these rows do not deceive it.
    const statuses = (await kimina!('kimina_statuses.py', { url, snippets: files })) as string[];
    expect(statuses.map((status) => status === 'valid')).toEqual(PROVED);
  },
);
