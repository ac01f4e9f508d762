/** The Lean processes of a server, known by its run mark, and which of them compute. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readResources } from '@stp/lean-verifier/testing';
import { expect } from 'vitest';
import { processesWhere } from '../support/processes.ts';

/** Processor time that no import of the tests takes, ms. */
const WORK_MS = 1_000;
/** The smallest limit is that of a tactic, five seconds; one has passed before a test gives up. */
const LIMIT_MS = 3_000;
/** Between two looks at a process, ms. One that computes gets processor time meanwhile, unless the machine stands still. */
const LOOK_MS = 500;

/** Processor time of each Lean that the server has started, ms, by the id of its process. */
function leansOf(server: number): Map<number, number> {
  const leans = new Map<number, number>();
  for (const pid of processesWhere((mark) => mark.startsWith(`mcp@${server}.`))) {
    const resources = isLean(pid) ? readResources(pid) : null;
    if (resources !== null) leans.set(pid, resources.cpuMs);
  }
  return leans;
}

function isLean(pid: number): boolean {
  try {
    const [program = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return /(?:^|\/)lean(?:-native)?$/u.test(program);
  } catch {
    return false; // It has ended meanwhile.
  }
}

/** The Leans whose processor time grows. */
async function computing(server: number): Promise<number[]> {
  const before = leansOf(server);
  await pause(LOOK_MS);
  return [...leansOf(server)].filter(([pid, ms]) => ms > (before.get(pid) ?? 0)).map(([pid]) => pid);
}

/**
 * Waits until a Lean of the server has computed for a second since now, which no import of the tests takes. Fails if
 * the call is answered before.
 */
export async function untilAtWork(server: number, call: Promise<unknown>): Promise<void> {
  const before = leansOf(server);
  let answer: unknown;
  call.then(
    (found) => {
      answer = found;
    },
    () => {},
  );
  const isAtWork = (): boolean => [...leansOf(server)].some(([pid, ms]) => ms - (before.get(pid) ?? 0) > WORK_MS);
  await expect.poll(() => answer ?? isAtWork()).toBe(true);
}

/**
 * Waits until no Lean of the server computes. Lean's own limits must not be what ended the work: each Lean has used less
 * processor time since now than the smallest of them.
 */
export async function expectAllIdle(server: number): Promise<void> {
  const before = leansOf(server);
  const used = new Map<number, number>();
  await expect
    .poll(async () => {
      const found = await computing(server);
      for (const [pid, ms] of leansOf(server)) used.set(pid, ms - (before.get(pid) ?? 0));
      return found;
    })
    .toEqual([]);
  expect([...used.values()].filter((ms) => ms >= LIMIT_MS)).toEqual([]);
}
