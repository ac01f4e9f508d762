/** Work that is repeated because its process was killed or did not start. No Lean: the test gives the ends. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { untilItsOwnEnd } from './its-own-end.ts';
import type { LeanExit } from './spawn.ts';

const end = (how: LeanExit['how'], signal: NodeJS.Signals | null = null, code: number | null = null): LeanExit => ({
  how,
  signal,
  code,
  stderr: '',
});
const KILLED = end('crashed', 'SIGKILL');
const NOT_STARTED = end('not-started', null, 127);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function attemptsUntilEnd(ends: readonly LeanExit[]) {
  const attempt = vi.fn(async () => ends[Math.min(attempt.mock.calls.length, ends.length) - 1]!);
  const ended = untilItsOwnEnd(attempt);
  await vi.runAllTimersAsync();
  return { exit: await ended, attempts: attempt.mock.calls.length };
}

it.each([
  ['an end of its own', [end('finished', null, 1)], 1],
  ['a crash of its own', [end('crashed', 'SIGSEGV')], 1],
  ['a limit', [end('memory')], 1],
  ['its own end after kills and failed starts', [KILLED, NOT_STARTED, end('crashed', null, 143), end('finished')], 4],
  ['kills without end', [KILLED], 6],
  ['starts that all fail', [NOT_STARTED], 3],
])('%s', async (_, ends, attempts) => {
  expect(await attemptsUntilEnd(ends)).toEqual({ exit: ends.at(-1), attempts });
});

it('waits for a next start no longer than the signal allows', async () => {
  const controller = new AbortController();
  const ended = untilItsOwnEnd(async () => NOT_STARTED, controller.signal);
  const rejected = expect(ended).rejects.toThrow('enough');
  await vi.advanceTimersByTimeAsync(1);
  controller.abort(new Error('enough'));
  await rejected;
});
