/**
 * A small folder in the form of LeanDojo Benchmark 4: four files, theorems with traced tactics. One tactic names a premise
 * that the corpus does not have, one state is no state, one premise stands behind the tactic that names it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CorpusFile, TacticRow, TheoremRow } from '@stp/lean-explore';

const premise = (full_name: string | null, line: number, code: string, endLine = line) => ({
  full_name,
  code,
  start: [line, 1] as [number, number],
  end: [endLine, 40] as [number, number],
  kind: 'commanddeclaration',
});

const CORPUS: readonly CorpusFile[] = [
  {
    path: '.lake/packages/lean4/src/lean/Init.lean',
    imports: [],
    premises: [
      premise('Nat.add_comm', 10, 'theorem Nat.add_comm (n m : Nat) : n + m = m + n'),
      premise('Nat.mul_one', 12, 'theorem Nat.mul_one (n : Nat) : n * 1 = n'),
      premise(null, 14, 'instance : Add Nat := ⟨Nat.add⟩'),
    ],
  },
  {
    path: 'Mathlib/List.lean',
    imports: ['.lake/packages/lean4/src/lean/Init.lean'],
    premises: [
      premise('rev', 3, 'def rev : List α → List α\n  | [] => []\n  | x :: xs => rev xs ++ [x]', 5),
      premise('rev_rev', 9, 'theorem rev_rev (xs : List α) : rev (rev xs) = xs'),
    ],
  },
  {
    path: 'Mathlib/Unrelated.lean',
    imports: ['.lake/packages/lean4/src/lean/Init.lean'],
    premises: [premise('rev_rev_elsewhere', 2, 'theorem rev_rev_elsewhere (xs : List α) : rev (rev xs) = xs')],
  },
  {
    path: 'Mathlib/Use.lean',
    imports: ['Mathlib/List.lean'],
    premises: [premise('uses_rev', 4, 'theorem uses_rev (xs : List α) : rev (rev xs) = xs ∨ False', 8)],
  },
];

const STATE = 'α : Type u_1\nxs ys : List α\nn m : ℕ\nh : n + m =\n    m\n⊢ rev (rev xs) = xs';

const named = (full_name: string, def_path: string, line: number) => ({
  full_name,
  def_path,
  def_pos: [line, 9] as [number, number],
  def_end_pos: [line, 16] as [number, number],
});
const REV_REV = named('rev_rev', 'Mathlib/List.lean', 9);
const ADD_COMM = named('Nat.add_comm', '.lake/packages/lean4/src/lean/Init.lean', 10);

const tactic = (text: string, premises: TacticRow['annotated_tactic'][1], state_before = STATE): TacticRow => ({
  tactic: text,
  annotated_tactic: [text, premises],
  state_before,
  state_after: 'no goals',
});

const theorem = (full_name: string, line: number, traced_tactics: readonly TacticRow[]): TheoremRow => ({
  file_path: 'Mathlib/Use.lean',
  full_name,
  start: [line, 1],
  end: [line + 3, 10],
  traced_tactics: [...traced_tactics],
  url: 'https://example.org/mathlib4',
  commit: '29dcec074de168ac2bf835a77ef68bbe069194c5',
});

export const SPLIT: Readonly<Record<'train' | 'val' | 'test', readonly TheoremRow[]>> = {
  train: [
    theorem('one', 20, [
      tactic('intro h2', []),
      tactic('exact rev_rev xs', [REV_REV]),
      tactic('exact gone xs', [named('gone', 'Mathlib/List.lean', 99)]),
      tactic('rfl', [], 'no state at all'),
    ]),
    theorem('again', 30, [tactic('exact rev_rev xs', [REV_REV])]),
    theorem('term', 40, []),
  ],
  val: [theorem('three', 50, [tactic('omega', []), tactic('simp [Nat.add_comm]', [ADD_COMM], '⊢ 1 + 2 = 3')])],
  test: [
    theorem('four', 60, [
      tactic('rw [rev_rev, Nat.add_comm]', [REV_REV, ADD_COMM]),
      tactic('exact Nat.add_comm n m', [ADD_COMM], 'n m : ℕ\n⊢ n + m = m + n'),
      tactic('exact gone xs', [named('gone', 'Mathlib/Nowhere.lean', 1)]),
    ]),
    // It stands before what it names.
    theorem('early', 1, [tactic('exact uses_rev xs', [named('uses_rev', 'Mathlib/Use.lean', 5)])]),
  ],
};

export async function writeBenchmark(directory: string, corpus: readonly CorpusFile[] = CORPUS): Promise<string> {
  const folder = join(directory, 'leandojo_benchmark_4');
  await mkdir(join(folder, 'random'), { recursive: true });
  await writeFile(join(folder, 'corpus.jsonl'), corpus.map((file) => `${JSON.stringify(file)}\n`).join(''));
  for (const [part, rows] of Object.entries(SPLIT))
    await writeFile(join(folder, 'random', `${part}.json`), JSON.stringify(rows, null, 1));
  return folder;
}

export { CORPUS };
