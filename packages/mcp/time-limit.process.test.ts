/** The time limits of calls, on a clock that the test moves: each tool's own default, and the limit that a call names. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { KeptCertificates } from './certificates.ts';
import { ProjectFolder } from './project-folder.ts';
import { createServer, OpenCalls } from './server.ts';
import type { Workbench } from './workbench.ts';

const HOUR_MS = 3_600_000;
/** Time that `try_tactics` has to answer with its results so far, s. */
const GRACE = 5;

beforeEach(() => {
  vi.useFakeTimers();
  // Node's own timers, which the test cannot move, are behind this function.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException('the time is over', 'TimeoutError')), ms);
    return controller.signal;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Makes a Lean that needs the given number of seconds for every call. */
const benchOf = async (seconds: number): Promise<Workbench> => ({
  folder: await ProjectFolder.open(import.meta.dirname),
  certificates: new KeptCertificates(),
  libraryTexts: async () => [],
  withLean: ({ signal }) =>
    new Promise((resolve, reject) => {
      setTimeout(() => resolve(FOUND as never), 1_000 * seconds);
      signal.addEventListener('abort', () => reject(signal.reason));
    }),
});
const FOUND = {
  ...{ proof: '  rfl', goals: ['⊢ 1 = 1'], problem: null, source: 'search', judgement: null },
  ...{ new_text: null, replace: null },
};

/** Returns the answer of a call for which Lean needs the given number of seconds, and the seconds until the answer. */
async function answered(name: string, given: Record<string, unknown>, leanSeconds: number) {
  const { signal } = new AbortController();
  const server = createServer(await benchOf(leanSeconds), new OpenCalls(), {
    ...{ version: '0', callsMax: 1, signal },
    onError: (error) => expect.unreachable(String(error)),
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'stp-test', version: '0' });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  const beganAt = Date.now();
  let endedAt = 0;
  const call = client.callTool({ name, arguments: given }, undefined, { timeout: HOUR_MS }).finally(() => {
    endedAt = Date.now();
  });
  await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
  const { isError, content, structuredContent } = (await call) as CallToolResult;
  await client.close();
  const [said] = content as { text: string }[];
  return { seconds: (endedAt - beganAt) / 1_000, answer: isError === true ? said!.text : structuredContent };
}

const STATEMENT = 'theorem t : 1 = 1';
const late = (seconds: number): string => `not done within ${seconds} seconds; the work was ended`;

it('a search of ten minutes has these and the time for all else', async () => {
  const asked = { statement: STATEMENT, seconds: 600 };
  expect(await answered('search_proof', asked, 800)).toEqual({ seconds: 800, answer: FOUND });
  expect(await answered('search_proof', asked, 2_000)).toEqual({ seconds: 840, answer: late(840) });
});

it('a search that names no time has half a minute', async () => {
  expect(await answered('search_proof', { statement: STATEMENT }, 2_000)).toEqual({
    ...{ seconds: 270, answer: late(270) },
  });
});

it.each([
  ['verify_proof', { statement: STATEMENT, proof: '  rfl' }, 300, 0],
  ['disprove', { statement: STATEMENT }, 300, 0],
  ['check_file', { text: `${STATEMENT} := rfl` }, 300, 0],
  ['goals_at', { text: STATEMENT, line: 1 }, 120, 0],
  ['try_tactics', { text: STATEMENT, line: 1, tactics: ['rfl'] }, 60, GRACE],
])('%s has its own limit, or the one that the call names', async (name, given, seconds, grace) => {
  expect(await answered(name, given, 3_000)).toEqual({ seconds: seconds + grace, answer: late(seconds) });
  expect(await answered(name, { ...given, timeout_seconds: 7 }, 3_000)).toEqual({
    seconds: 7 + grace,
    answer: late(7),
  });
});
