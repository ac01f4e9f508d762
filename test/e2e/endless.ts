/** Our commands at work on text on which Lean never ends, and the leftovers of these commands. */
import { globSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../support/ports.ts';
import { stp } from '../support/stp.ts';

export const ENDLESS = 'set_option maxHeartbeats 0\ntheorem endless : 1 = 1 := by\n  repeat have h := 1\n  rfl\n';

type Sandbox = 'where-available' | 'off';

/** A scratch folder of its own, with a file in it over which Lean does not end. */
export function setUp(): { scratch: string; file: string; env: Record<string, string> } {
  const folder = mkdtempSync(join(tmpdir(), 'stp-leavings-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'Endless.lean');
  writeFileSync(file, ENDLESS);
  const scratch = join(folder, 'scratch');
  return { scratch, file, env: { STP_SCRATCH: scratch, STP_LEAN_SERVE_KEYS: '' } };
}

/** Processes and control groups with a mark of this owner. */
export function leftOf(command: 'check' | 'lean-serve', pid: number): string[] {
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
export async function checking(sandbox: Sandbox) {
  const { scratch, file, env } = setUp();
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

/** `lean serve` with a process of Lean, in a place of its own. */
export async function serving() {
  const { scratch, env } = setUp();
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
