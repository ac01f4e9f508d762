/** Turns a server's answer about an unfinished check into the end of a local process. No server: answers alone. */
import { expect, it } from 'vitest';
import { isKilledFromOutside } from '../../runtime/process/its-own-end.ts';
import type { Fleet } from './fleet.ts';
import type { ServerResult } from './lean-server.ts';
import { remoteSession } from './remote-session.ts';

async function exitOf(outcome: string, error: string) {
  const result = { id: 'a', time: 1, outcome, error } satisfies ServerResult;
  const fleet = { check: async () => result } as unknown as Fleet;
  const session = remoteSession(fleet, 'import Init', false, new AbortController().signal);
  return session.run({ body: '', deadlineMs: 1_000, memoryBytesMax: 1, onMessage: () => {} });
}

it.each([
  ['Lean ended by exit code 137', null, 137, true],
  ['Lean ended by SIGKILL', 'SIGKILL', null, true],
  ['Lean ended by exit code 134', null, 134, false],
  ['Lean ended by SIGSEGV', 'SIGSEGV', null, false],
])('of %s', async (said, signal, code, fromOutside) => {
  const exit = await exitOf('crash', said);
  expect(exit).toMatchObject({ how: 'crashed', signal, code });
  expect(isKilledFromOutside(exit)).toBe(fromOutside);
});
