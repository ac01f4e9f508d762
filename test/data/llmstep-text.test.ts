/** llmstep's fine-tuning text: byte for byte from a LeanDojo folder, and the library's own traced steps in its splits. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnLibrary, TheoremRow } from '@stp/lean-explore';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportLlmstep, leanDojoRows, libraryRows } from '../../activities/retrieval/export-llmstep.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-llmstep-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const theorem = (name: string, ...steps: readonly [state: string, tactic: string][]): TheoremRow => ({
  url: '',
  commit: '',
  file_path: 'A.lean',
  full_name: name,
  start: [1, 1],
  end: [2, 1],
  traced_tactics: steps.map(([state_before, tactic]) => {
    return { tactic, annotated_tactic: [tactic, []], state_before, state_after: 'no goals' };
  }),
});

const TWO_GOALS = 'case zero\n⊢ 0 = 0\n\ncase succ\nn : ℕ\n⊢ n + 1 = n + 1';
const PARTS = {
  train: [
    theorem('a', ['n : ℕ\n⊢ n = n', 'cases n'], [TWO_GOALS, 'all_goals\n  rfl'], ['no goals', 'done'], ['', 'skip']),
    theorem('none'),
    theorem('b', ['s : String\n⊢ s = "\\n"', 'simp [h]']),
  ],
  val: [theorem('c', ['⊢ True', 'trivial'], ['s : String\n⊢ s = "[PROOFSTEP]"', 'rfl'])],
  test: [],
};

it('is what its fine-tuning reads, whole states and tactics, line for line', async () => {
  await mkdir(join(directory, 'random'), { recursive: true });
  for (const [part, rows] of Object.entries(PARTS))
    await writeFile(join(directory, 'random', `${part}.json`), JSON.stringify(rows));
  const folder = join(directory, 'out');
  const report = await exportLlmstep(leanDojoRows(directory, 'random'), { folder, replace: false });
  expect(report).toEqual({ lines: { train: 3, val: 1, test: 0 }, marked: 1 });
  expect(await readFile(join(folder, 'proofstep-train.jsonl'), 'utf8')).toBe(
    [
      String.raw`{"input":"[GOAL]n : ℕ\n⊢ n = n[PROOFSTEP]","output":"cases n<|endoftext|>"}`,
      String.raw`{"input":"[GOAL]case zero\n⊢ 0 = 0\n\ncase succ\nn : ℕ\n⊢ n + 1 = n + 1[PROOFSTEP]","output":"all_goals\n  rfl<|endoftext|>"}`,
      String.raw`{"input":"[GOAL]s : String\n⊢ s = \"\\n\"[PROOFSTEP]","output":"simp [h]<|endoftext|>"}`,
      '',
    ].join('\n'),
  );
  expect(await readFile(join(folder, 'proofstep-val.jsonl'), 'utf8')).toBe(
    '{"input":"[GOAL]⊢ True[PROOFSTEP]","output":"trivial<|endoftext|>"}\n',
  );
  expect(await readFile(join(folder, 'proofstep-test.jsonl'), 'utf8')).toBe('');
  await expect(exportLlmstep(leanDojoRows(directory, 'random'), { folder, replace: false })).rejects.toMatchObject({
    code: 'STP1002',
  });
});

it('of a library has each theorem in one part', async () => {
  const theorems = Array.from({ length: 20 }, (_, index) => theorem(`t${index}`, [`⊢ ${index} = ${index}`, 'rfl']));
  const library: OwnLibrary = { files: [], theorems, version: '' };
  const folder = join(directory, 'library');
  const { lines } = await exportLlmstep(libraryRows(library, 'random', 0), { folder, replace: false });
  expect(lines).toEqual({ train: 16, val: 2, test: 2 });
  const texts = await Promise.all(
    ['train', 'val', 'test'].map((part) => readFile(join(folder, `proofstep-${part}.jsonl`), 'utf8')),
  );
  expect(new Set(texts.join('').trim().split('\n')).size).toBe(20);
});
