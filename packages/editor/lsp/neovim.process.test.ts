/** Neovim itself, headless, with its built-in client behind `stp suggest lsp`: code actions, the first applied, no error left. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '@stp/lean-verifier/testing';
import { execa } from 'execa';
import { expect, test } from 'vitest';

const MAIN = join(import.meta.dirname, '../../../cli/main.ts');
const SCRIPT = join(import.meta.dirname, '../testing/neovim.lua');
const FILE = [
  'def double : Nat → Nat',
  '  | 0 => 0',
  '  | n + 1 => double n + 2',
  '',
  'theorem double_eq (n : Nat) : double n = 2 * n := by',
  '  ',
  '',
].join('\n');

const version = /v(\d+)\.(\d+)/u.exec(spawnSync('nvim', ['--version'], { encoding: 'utf8' }).stdout ?? '');
const isHere = version !== null && (Number(version[1]) > 0 || Number(version[2]) >= 7);
if (!isHere) console.log('skipped: a session of Neovim (there is no nvim of version 0.7 or later)');

test.skipIf(!isHere)('the first code action leaves no error', { tags: ['slow'], timeout: 300_000 }, async () => {
  const file = join(scratchFolder(), 'Session.lean');
  writeFileSync(file, FILE);
  const words = [process.execPath, MAIN, 'suggest', 'lsp', '--suggest=--sandbox=off'];
  const { stdout, exitCode } = await execa(
    'nvim',
    ['--headless', '-u', 'NONE', '-i', 'NONE', '-n', '-c', `luafile ${SCRIPT}`],
    {
      env: { NVIM_LEAN_FILE: file, NVIM_LEAN_LINE: '6', NVIM_LEAN_SERVER: words.join('\n') },
      stdin: 'ignore',
      reject: false,
      timeout: 280_000,
    },
  );
  expect(exitCode, stdout).toBe(0);
  expect(stdout).toContain('errors before: { "5: unsolved goals" }');
  expect(stdout).toContain('code actions: { "Suggest next step", "Search for a proof"');
  expect(stdout).toMatch(/^progress: begin Suggest next step$/mu);
  expect(stdout).toMatch(/^line 6: " {2}induction n/mu);
  expect(stdout).toContain('errors after: {}');
});
