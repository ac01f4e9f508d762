/** Results of searches in llmstep's form: the best way through the expanded states, and why there is no proof. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExpansionRecord, ShardResult, Statement } from '@stp/config/records';
import { NO_SEARCH } from '@stp/config/testing';
import { countResults, readSearchResults } from '@stp/datasets';
import { expect, it, onTestFinished } from 'vitest';
import { searchResults } from '../../activities/evaluation/search-results.ts';
import { writeRecords } from '../../activities/records/record-files.ts';
import { openStore } from '../../infra/stores/open-store.ts';

const GOAL = { hypotheses: [], target: 'True' };
type Step = ExpansionRecord['steps'][number];
const step = (tactic: string, logprob: number, outcome: Step['outcome'], next: string | null = null): Step => ({
  tactic,
  logprob,
  tokens: 2,
  count: 1,
  outcome,
  next,
  leanMs: 1,
});
const expansion = (statementId: string, index: number, state: string, logprob: number, ...steps: Step[]) => {
  return { statementId, index, state, goals: `⊢ ${state}`, goal: GOAL, length: index, logprob, score: logprob, steps };
};

it('takes the likeliest way to the closing tactic, and is read back', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stp-search-results-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const store = await openStore(pathToFileURL(directory).href);
  const expansions = [
    expansion('a', 0, 'root', 0, step('weak', -4, 'open', 'middle'), step('left', -1, 'open', 'other')),
    expansion('b', 0, 'root', 0, step('simp', -1, 'rejected')),
    expansion('a', 1, 'other', -1, step('join', -1, 'open', 'middle')),
    expansion('a', 2, 'middle', -2, step('no', -1, 'rejected'), step('rfl', -1, 'done')),
    expansion('c', 0, 'root', 0, step('rfl', -2, 'done')),
  ];
  const search = { expansions: await writeRecords(store, 'expansions-*.jsonl', expansions), figures: NO_SEARCH };
  const statements = ['a', 'b', 'c', 'd'].map((id) => {
    return {
      id,
      name: `N.${id}`,
      statement: `theorem N.${id} : True`,
      labels: ['nng held-out'],
    } as unknown as Statement;
  });
  const results = await searchResults(store, [{ search } as unknown as ShardResult], statements, new Set(['a']));
  const path = join(directory, 'results.json');
  await writeFile(path, JSON.stringify({ results, args: {} }));
  const read = await readSearchResults(path);
  expect(read).toEqual(results);
  expect(read[0]).toEqual({
    success: true,
    example: { full_name: 'N.a', statement: 'theorem N.a : True', file_path: 'nng', split: 'held-out' },
    attempt_results: [
      {
        theorem: 'N.a',
        success: true,
        proof: ['left', 'join', 'rfl'],
        // The sum over the steps of the mean over their tokens.
        score: 1.5,
        trace: [
          { tactic: 'left', state_before: '⊢ root' },
          { tactic: 'join', state_before: '⊢ other' },
          { tactic: 'rfl', state_before: '⊢ middle' },
        ],
      },
    ],
  });
  expect(countResults(read)).toEqual({
    theorems: 4,
    proved: 1,
    failures: { SearchEnded: 1, ProofRefused: 1, DojoInitError: 1 },
    notBegun: 1,
    steps: 3,
  });
});
