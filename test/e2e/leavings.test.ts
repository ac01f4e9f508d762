/**
 * What `stp check` and `stp lean serve` leave behind: nothing after a signal that they can answer; after SIGKILL nothing
 * once the next command has run, and Lean is gone by itself. With and without a sandbox. Costs about 60 s.
 */
import { globSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { parentDeathPrefix } from '../../lean/process/parent-death.ts';
import { freePort } from '../support/ports.ts';
import { stp } from '../support/stp.ts';

const ENDLESS = 'set_option maxHeartbeats 0\ntheorem endless : 1 = 1 := by\n  repeat have h := 1\n  rfl\n';
const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

type Sandbox = 'where-available' | 'off';

/** A scratch folder of its own, with a file in it over which Lean does not end. */
function place(): { scratch: string; file: string; env: Record<string, string> } {
  const folder = mkdtempSync(join(tmpdir(), 'stp-leavings-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'Endless.lean');
  writeFileSync(file, ENDLESS);
  const scratch = join(folder, 'scratch');
  return { scratch, file, env: { STP_SCRATCH: scratch, STP_LEAN_SERVE_KEYS: '' } };
}

/** Processes and control groups with a mark of this owner. */
function leftOf(command: 'check' | 'lean-serve', pid: number): string[] {
  const marked = readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/environ`, 'utf8').includes(`STP_RUN_MARK=${command}@${pid}.`);
    } catch {
      return false;
    }
  });
  return [...marked, ...groupsOf(command, pid)];
}

function groupsOf(command: string, pid: number): string[] {
  return globSync(`/sys/fs/cgroup/**/stp-${command}_${pid}.*`);
}

/** The command at work on the endless file, killed at the end of the test if it still runs. */
async function checking(sandbox: Sandbox) {
  const { scratch, file, env } = place();
  const command = stp(['check', '--sandbox', sandbox, file], { env });
  onTestFinished(async () => {
    command.kill('SIGKILL');
    await command;
  });
  const pid = command.pid!;
  // The source lies in its folder when Lean is about to read it.
  await expect.poll(() => globSync(join(scratch, 'check@*', 'check-*', '**', '*.lean'))).toHaveLength(1);
  await expect.poll(() => leftOf('check', pid).filter((name) => /^\d+$/.test(name))).not.toEqual([]);
  return { command, pid, scratch, env };
}

it.each(SIGNALS)('check cleans up on %s and says so by its exit code', async (signal, code) => {
  const { command, pid, scratch } = await checking('where-available');
  command.kill(signal);
  const { exitCode, all } = await command;
  expect(exitCode).toBe(code);
  expect(all).toContain(`ended by ${signal}`);
  expect(readdirSync(scratch)).toEqual([]);
  expect(leftOf('check', pid)).toEqual([]);
});

it.each<Sandbox>(['where-available', 'off'])('Lean ends with a check that is killed, sandbox %s', async (sandbox) => {
  if (sandbox === 'off' && parentDeathPrefix().length === 0) return;
  const { command, pid } = await checking(sandbox);
  command.kill('SIGKILL');
  await command;
  await expect.poll(() => leftOf('check', pid).filter((name) => /^\d+$/.test(name))).toEqual([]);
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

/** `lean serve` with a process of Lean, in a place of its own. */
async function serving() {
  const { scratch, env } = place();
  const port = await freePort();
  const args = ['lean', 'serve', '--port', String(port), '--sandbox', 'where-available', '--processes', '1'];
  const command = stp(args, { env });
  onTestFinished(async () => {
    command.kill('SIGKILL');
    await command;
  });
  const url = `http://127.0.0.1:${port}`;
  for (; !(await fetch(`${url}/health`).catch(() => null))?.ok; await pause(50));
  return { command, pid: command.pid!, scratch, url, env };
}

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

it('a service that is told to end before it serves does so', async () => {
  const { scratch, env } = place();
  const command = stp(['lean', 'serve', '--port', String(await freePort())], { env });
  await expect.poll(() => globSync(join(scratch, 'lean-serve@*'))).toHaveLength(1);
  command.kill('SIGTERM');
  const { exitCode, all } = await command;
  // It may have come to serve just before.
  expect(String(all).includes('serving') ? [0] : [143]).toContain(exitCode);
  expect(readdirSync(scratch)).toEqual([]);
});
