/** The Lean processes of a server, known by its run mark, and which of them compute. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';

/** Index of the processor times, in user and system mode, behind the name of a program in `stat`. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
/** Ticks of a second are a hundred on all of Linux' usual processors. */
const TICKS_PER_SECOND = 100;
const WORK_TICKS = TICKS_PER_SECOND;
/** The smallest limit is that of a tactic, five seconds; one has passed before a test gives up. */
const LIMIT_TICKS = 3 * TICKS_PER_SECOND;
/** Between two looks at a process, ms. One that computes gets processor time meanwhile, unless the machine stands still. */
const LOOK_MS = 500;

/** Processor time of each Lean that the server has started, in ticks, by the id of its process. */
function leansOf(server: number): Map<number, number> {
  const leans = new Map<number, number>();
  for (const name of readdirSync('/proc'))
    try {
      if (!/^\d+$/u.test(name)) continue;
      if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(`STP_RUN_MARK=mcp@${server}.`)) continue;
      const [program = ''] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      if (!/(?:^|\/)lean(?:-native)?$/u.test(program)) continue;
      // The name of a program may hold blanks and brackets; the other fields stand behind the last one.
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /su, '')
        .split(' ');
      leans.set(Number(name), Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]));
    } catch {
      // It has ended meanwhile.
    }
  return leans;
}

/** The Leans whose processor time grows. */
async function computing(server: number): Promise<number[]> {
  const before = leansOf(server);
  await pause(LOOK_MS);
  return [...leansOf(server)].filter(([pid, ticks]) => ticks > (before.get(pid) ?? 0)).map(([pid]) => pid);
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
  const isAtWork = (): boolean =>
    [...leansOf(server)].some(([pid, ticks]) => ticks - (before.get(pid) ?? 0) > WORK_TICKS);
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
      for (const [pid, ticks] of leansOf(server)) used.set(pid, ticks - (before.get(pid) ?? 0));
      return found;
    })
    .toEqual([]);
  expect([...used.values()].filter((ticks) => ticks >= LIMIT_TICKS)).toEqual([]);
}
