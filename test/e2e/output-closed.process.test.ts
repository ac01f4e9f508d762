/** Tests how commands end when their output cannot be written: the reader closes the pipe, or the disk is full. Costs a few seconds. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { STP } from '../support/stp.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'cli', 'main.ts');

/** Runs a command whose output nobody reads: the pipe is closed before the command has begun. */
async function unread(words: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

it.each([
  ['kernel', ['kernel', 'test/fixtures/kernel/none.ndjson', '--json']],
  ['help', ['--help']],
  ['config', ['config', '--preset', 'embedded']],
  ['plan', ['plan', '--preset', 'stp-paper']],
  ['doctor', ['doctor']],
])('%s', async (_, words) => {
  const { code, said } = await unread(words);
  expect(said).not.toMatch(/EPIPE|at .*:\d+:\d+|Unhandled/);
  // A command that prints nothing on its output does not notice.
  expect([0, 2, 141]).toContain(code);
});

it('check, which has work to give up', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stp-closed-'));
  // The second file is begun when the first one's verdict has found the pipe closed.
  const paths = ['A', 'B', 'C'].map((name) => join(folder, `${name}.lean`));
  for (const path of paths) writeFileSync(path, 'theorem a : 1 = 1 := rfl\n');
  try {
    expect(await unread(['check', ...paths])).toEqual({ code: 141, said: '' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it.each([
  ['config', ['config', '--preset', 'embedded']],
  ['plan', ['plan', '--preset', 'embedded']],
  ['check', ['check', '/nonexistent/A.lean']],
  ['verify', ['verify', '-']],
])('%s says that a full disk takes no output, exit 2', (_, words) => {
  const full = openSync('/dev/full', 'w');
  try {
    const { status, stderr } = spawnSync(STP, words, {
      stdio: ['pipe', full, 'pipe'],
      input: 'no row\n',
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    // `check` has counted its files by then.
    expect(stderr.replace('0 of 0 theorems accepted\n', '')).toBe(
      'standard output cannot be written: no space left on device\n',
    );
  } finally {
    closeSync(full);
  }
});
