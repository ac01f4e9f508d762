/**
 * The leftovers of `stp check` and `stp lean serve`: none after a signal that they can handle; after SIGKILL Lean ends
 * by itself, and the next command removes the rest. More cases are in `leavings.slow.ts`.
 */
import { globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { freePort } from '../support/ports.ts';
import { stp } from '../support/stp.ts';
import { checking, leftOf, setUp } from './endless.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

it('check cleans up on a signal and says so by its exit code', async () => {
  const { command, pid, scratch } = await checking('where-available');
  command.kill('SIGTERM');
  const { exitCode, all } = await command;
  expect(exitCode).toBe(143);
  expect(all).toContain('ended by SIGTERM');
  expect(readdirSync(scratch)).toEqual([]);
  expect(leftOf('check', pid)).toEqual([]);
});

it('nothing is left of a check that was killed once the next command has run, and a living one keeps what it has', async () => {
  const living = await checking('where-available');
  const killed = stp(['check', join(living.scratch, '..', 'Endless.lean')], { env: living.env });
  await expect.poll(() => globSync(join(living.scratch, 'check@*', 'check-*', '**', '*.lean'))).toHaveLength(2);
  killed.kill('SIGKILL');
  await killed;
  expect(readdirSync(living.scratch)).toHaveLength(2);
  const next = await stp(['check', 'none.lean'], { env: living.env });
  expect(next.stderr).toContain('removed what a command that was killed had left: ');
  expect(readdirSync(living.scratch)).toHaveLength(1);
  expect(readdirSync(living.scratch)[0]).toContain(`check@${living.pid}.`);
  expect(leftOf('check', killed.pid!)).toEqual([]);
  expect(leftOf('check', living.pid)).not.toEqual([]);
  living.command.kill('SIGTERM');
  expect((await living.command).exitCode).toBe(143);
  expect(readdirSync(living.scratch)).toEqual([]);
});

it('a service that is told to end before it serves does so', async () => {
  const { scratch, env } = setUp();
  const command = stp(['lean', 'serve', '--port', String(await freePort())], { env });
  await expect.poll(() => globSync(join(scratch, 'lean-serve@*'))).toHaveLength(1);
  command.kill('SIGTERM');
  const { exitCode, all } = await command;
  // It may have begun to serve just before.
  expect(String(all).includes('serving') ? [0] : [143]).toContain(exitCode);
  expect(readdirSync(scratch)).toEqual([]);
});
