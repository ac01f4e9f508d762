/**
 * `stp check` over files that take longer than it may: its limits of time are real, so each waits for one. About 40 s.
 *
 * @module-tag slow
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stp } from '../support/stp.ts';

const GOOD = 'theorem good : 1 = 1 := rfl\n';
/** No limit of processor time ends these in any time that a test may take. */
const endless = `set_option maxHeartbeats 0\n${GOOD}theorem endless : 1 = 1 := by\n  repeat have h := 1\n  rfl\n`;
const prints = `${GOOD}${'#print Nat.add_comm\n'.repeat(40_000)}`;

it.each([
  ['over a tactic that does not end', endless],
  ['over forty thousand commands', prints],
])('ends within its time %s, and says what decided', async (_, source) => {
  const folder = await mkdtemp(join(tmpdir(), 'stp-check-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'a.lean'), source);
  await writeFile(join(folder, 'b.lean'), GOOD);
  const result = await stp(['check', '--timeout', '15.5', folder]);
  expect(result.exitCode).toBe(2);
  // On a very slow machine Lean is not ready by then; that message names the limit too.
  expect(result.stdout).toMatch(
    /^unchecked .*a\.lean\n .*15\.5 seconds.*--timeout.*\nunchecked .*b\.lean\n .*15\.5 seconds.*--timeout/,
  );
  expect(result.stderr).toContain('2 files: 0 accepted, 0 rejected, 2 unchecked');
});
