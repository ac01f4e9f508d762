/**
 * Tests `packages/editor/Llmstep.lean` with the installed Lean: every definition elaborates, and code that must run is
 * refused.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { coreEnvironment } from '@stp/lean-verifier/testing';
import { execa } from 'execa';
import { expect, test } from 'vitest';

const FILE = join(import.meta.dirname, 'Llmstep.lean');

test('the definitions elaborate', { tags: ['slow'] }, async () => {
  const { executable } = await coreEnvironment();
  const input = readFileSync(FILE, 'utf8');
  const { stdout } = await execa(executable, ['--stdin', '--json'], { input, reject: false, timeout: 120_000 });
  const messages = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const lines = input.split('\n');
  // A released Lean has neither of the two.
  const refused = messages.map(({ pos, data }) => [lines[pos.line - 1], data.split('\n')[0]]);
  expect(refused).toEqual([
    ['syntax (name := llmstep) "llmstep " str : tactic', expect.stringContaining('unknown declaration')],
    ['attribute [tactic llmstep] Llmstep.evaluate', expect.anything()],
  ]);
});
