/** Published search results: counts, and their states as goals. The file is an excerpt of llmstep's own results. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countResults, readSearchResults, type SearchResult } from '@stp/datasets';
import { readGoalTexts } from '@stp/lean-explore';
import { afterEach, beforeEach, expect, it } from 'vitest';

const FILE = join(import.meta.dirname, '..', 'fixtures', 'llmstep', 'results.json');

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-results-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('counts theorems, proofs, reasons and steps; a theorem that comes twice counts once, as proved if it is once', async () => {
  const results = await readSearchResults(FILE);
  const counts = countResults(results);
  expect(counts).toEqual({
    theorems: 7,
    proved: 4,
    failures: { SearchEnded: 1, DojoHardTimeoutError: 1, DojoCrashError: 1 },
    notBegun: 0,
    steps: expect.any(Number),
  });
  const proved = results.find(({ success }) => success)!;
  const failed: SearchResult = {
    ...proved,
    success: false,
    attempt_results: [{ theorem: 'x', success: false, failure_reason: 'DojoInitError' }],
  };
  expect(countResults([...results, failed])).toEqual(counts);
  expect(countResults([failed])).toMatchObject({ theorems: 1, proved: 0, notBegun: 1 });
  expect(countResults([failed, proved])).toMatchObject({ theorems: 1, proved: 1, notBegun: 0 });
});

it('reads every state of the traces as goals', async () => {
  const states = (await readSearchResults(FILE)).flatMap(({ attempt_results }) =>
    attempt_results.flatMap((one) => (one.success ? one.trace.map(({ state_before }) => state_before) : [])),
  );
  expect(states.length).toBeGreaterThan(5);
  for (const state of states) {
    const goals = readGoalTexts(state);
    expect([state, goals?.length]).toEqual([state, state.match(/^⊢/gmu)!.length]);
  }
});

it.each([
  ['no results', '{"args": {}}', 'results'],
  ['no JSON', '{', 'not JSON'],
  [
    'a success without a proof',
    JSON.stringify({
      results: [
        {
          success: true,
          attempt_results: [{ theorem: 't', success: false, failure_reason: 'SearchEnded' }],
          example: { full_name: 't', statement: 's', file_path: 'f', split: 'test' },
        },
      ],
    }),
    "t: success differs from its attempts'",
  ],
])('refuses a file with %s', async (_, text, message) => {
  const path = join(directory, 'results.json');
  await writeFile(path, text);
  await expect(readSearchResults(path)).rejects.toMatchObject({
    code: 'STP1501',
    message: expect.stringContaining(message),
  });
});
