/**
 * Continues `leavings.process.test.ts`: other signals, no sandbox, and a service that is killed or gets two signals.
 * About a minute.
 *
 * @module-tag slow
 */
import { readdirSync } from 'node:fs';
import { parentDeathPrefix } from '@stp/lean-verifier/testing';
import { expect, it } from 'vitest';
import { stp } from '../support/stp.ts';
import { checking, ENDLESS, leftOf, serving } from './endless.ts';

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const;

it.each(SIGNALS)('check cleans up on %s and says so by its exit code', async (signal, code) => {
  const { command, pid, scratch } = await checking('where-available');
  command.kill(signal);
  const { exitCode, all } = await command;
  expect(exitCode).toBe(code);
  expect(all).toContain(`ended by ${signal}`);
  expect(readdirSync(scratch)).toEqual([]);
  expect(leftOf('check', pid)).toEqual([]);
});

it.each(['where-available', 'off'] as const)('Lean ends with a check that is killed, sandbox %s', async (sandbox) => {
  if (sandbox === 'off' && parentDeathPrefix().length === 0) return;
  const { command, pid } = await checking(sandbox);
  command.kill('SIGKILL');
  await command;
  await expect.poll(() => leftOf('check', pid).filter((name) => /^\d+$/.test(name))).toEqual([]);
});

const ask = (url: string, code: string): Promise<Response> =>
  fetch(`${url}/api/check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ snippets: [{ id: 'a', code }], timeout: 600 }),
  });

it('doctor removes what a service has left that was killed', async () => {
  const { command, pid, scratch, url, env } = await serving();
  expect((await ask(url, '#check Nat')).status).toBe(200);
  expect(leftOf('lean-serve', pid)).not.toEqual([]);
  command.kill('SIGKILL');
  await command;
  expect(readdirSync(scratch)).toHaveLength(1);
  const { all } = await stp(['doctor'], { env });
  expect(all).toMatch(/^ok {3}scratch .*removed what a command that was killed had left: .*1 scratch folder$/m);
  expect(readdirSync(scratch)).toEqual([]);
  expect(leftOf('lean-serve', pid)).toEqual([]);
});

it('a service that is told twice to end does so at once, and leaves nothing', async () => {
  const { command, pid, scratch, url, env } = await serving();
  const answer = ask(url, ENDLESS).catch(() => null);
  await expect.poll(() => leftOf('lean-serve', pid)).not.toEqual([]);
  command.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${url}/health`).catch(() => null))?.status ?? 503).toBe(503);
  command.kill('SIGINT');
  expect((await command).exitCode).toBe(130);
  await answer;
  expect(readdirSync(scratch)).toEqual([]);
  await stp(['check', 'none.lean'], { env });
  expect(leftOf('lean-serve', pid)).toEqual([]);
});
