/**
 * An invented LeanDojo Benchmark 4 folder and the "Mathlib" that it traced: two files, one with CRLF line ends, Unicode
 * names, theorems without tactics, a duplicate name, a file that is missing from the checkout, term and matching
 * proofs.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Source {
  readonly name: string;
  readonly text: string;
  /** Full names in its tactics; null: no traced tactic. */
  readonly uses: readonly string[] | null;
}

/** Enough that a tenth is more than one. */
const FILLERS = 40;

const BASIC: readonly Source[] = [
  { name: 'Set.base₁', text: '@[simp]\ntheorem Set.base₁ (n : Nat) : n + 0 = n := by\n  rfl', uses: [] },
  {
    name: 'Set.base₂',
    text: '/-- A comment: theorem of := by. -/\nlemma Set.base₂ (n : Nat) : 0 + n = n := by\n  simp',
    uses: ['Nat.zero_add'],
  },
  {
    name: 'user.one',
    text: 'theorem user.one (n : Nat) : n + 0 + 1 = n + 1 := by\n  rw [Set.base₁]',
    uses: ['Set.base₁'],
  },
  {
    name: 'user.two',
    text: 'theorem user.two (n : Nat) :\n    n + 0 + 2 = n + 2 := by\n  rw [Set.base₁]\n  rfl',
    uses: ['Set.base₁', 'Set.base₁'],
  },
  { name: 'silent', text: 'theorem silent : True :=\n  trivial', uses: null },
  {
    name: 'user.three',
    text: 'theorem user.three (ε : Nat) : ε + 0 + (0 + 3) = ε + 3 := by\n  rw [Set.base₁, Set.base₂]',
    uses: ['Set.base₁', 'Set.base₂'],
  },
  {
    name: 'user.four',
    text: 'theorem user.four (n : Nat) : 0 + n + 4 = n + 4 := by rw [Set.base₂]',
    uses: ['Set.base₂', 'Nat.not_traced'],
  },
];
const OTHER: readonly Source[] = [
  { name: 'twice', text: 'theorem twice (a : Nat) : a * 1 = a := by\n  simp', uses: [] },
  {
    name: 'Ω.β',
    text: 'protected theorem Ω.β (n : Nat) : n + 0 + 5 = n + 5 := by\n  rw [Set.base₁]',
    uses: ['Set.base₁'],
  },
  {
    name: 'term',
    text: 'theorem term (n : Nat) : n + 0 = n ∧ True :=\n  ⟨by rw [Set.base₁], trivial⟩',
    uses: ['Set.base₁'],
  },
  {
    name: 'cases',
    text: 'theorem cases : (b : Bool) → b = b\n  | true => by rfl\n  | false => by rw [Set.base₁]',
    uses: ['Set.base₁'],
  },
  { name: 'twice', text: 'theorem twice (a : Nat) : 1 * a = a := by\n  simp', uses: [] },
  { name: 'last', text: 'theorem last (n : Nat) : n + 0 + 6 = n + 6 := by\n  rw [Set.base₁]', uses: ['Set.base₁'] },
  ...Array.from({ length: FILLERS }, (_, index) => ({
    name: `filler${index}`,
    text: `theorem filler${index} (n : Nat) : n * ${index} = ${index} * n := by\n  exact Nat.mul_comm n ${index}`,
    uses: ['Nat.mul_comm'],
  })),
];

/** Results of STP's steps for this folder: entries with tactics, texts, distinct names, tuples. */
export const EXPECTED = {
  /** All files except `silent`, including the one of the missing file. */
  traced: BASIC.length - 1 + OTHER.length + 1,
  theorems: BASIC.length - 1 + OTHER.length,
  distinctNames: BASIC.length - 1 + OTHER.length - 1,
  /** base₁ of one, two, three: 3 pairs; base₂ of three, four: 1; base₁ of β, term, cases, last: 6. */
  tuples: 3 + 1 + 6,
  /** Without those whose easy theorem is `term` or `cases`, or whose hard one is `cases`: β–term, β–last. */
  readableTuples: 3 + 1 + 2,
  /** All but `term` and `cases`. */
  proofs: BASIC.length - 1 + OTHER.length - 2,
} as const;

/** Writes both folders under `directory`. */
export async function writeLeanDojo(directory: string): Promise<{ leanDojo: string; mathlib: string }> {
  const [leanDojo, mathlib] = [join(directory, 'leandojo_benchmark_4'), join(directory, 'mathlib4')];
  const entries = [
    ...(await writeSource(mathlib, 'Mathlib/Basic.lean', BASIC, '\n')),
    ...(await writeSource(mathlib, 'Mathlib/Set/Other.lean', OTHER, '\r\n')),
    entry('.lake/packages/std/Std/Gone.lean', { name: 'gone', text: '', uses: ['Set.base₁'] }, 3, 4),
  ];
  await mkdir(join(leanDojo, 'random'), { recursive: true });
  // dealt out over the parts and against the order of the files: neither says anything
  const parts = { train: 0, val: 1, test: 2 };
  for (const [part, rest] of Object.entries(parts))
    await writeFile(
      join(leanDojo, 'random', `${part}.json`),
      JSON.stringify(entries.filter((_, index) => index % 3 === rest).reverse()),
    );
  await writeFile(join(leanDojo, 'corpus.jsonl'), '');
  await writeFile(join(leanDojo, 'metadata.json'), '{}');
  return { leanDojo, mathlib };
}

async function writeSource(root: string, file: string, sources: readonly Source[], end: string): Promise<unknown[]> {
  const lines = ['import Mathlib.Init', '', '/-! # A file with α and 𝔸 -/', ''];
  const entries: unknown[] = [];
  for (const source of sources) {
    const start = lines.length + 1;
    lines.push(...source.text.split('\n'));
    entries.push(entry(file, source, start, lines.length));
    lines.push('');
  }
  await mkdir(join(root, file, '..'), { recursive: true });
  await writeFile(join(root, file), lines.join(end));
  return entries;
}

function entry(file: string, { name, uses }: Source, start: number, end: number): unknown {
  const tactic = (used: readonly string[]) => ({
    tactic: 'rw [x]',
    annotated_tactic: [
      'rw [<a>x</a>]',
      used.map((full_name) => ({ full_name, def_path: file, def_pos: [1, 1], def_end_pos: [1, 2] })),
    ],
    state_before: 'n : ℕ\n⊢ "]},{[\\" = n',
    state_after: 'no goals',
  });
  return {
    url: 'https://github.com/leanprover-community/mathlib4',
    commit: '29dcec074de168ac2bf835a77ef68bbe069194c5',
    file_path: file,
    full_name: name,
    start: [start, 1],
    end: [end, 10],
    traced_tactics: uses === null ? [] : uses.length === 0 ? [tactic([])] : uses.map((used) => tactic([used])),
  };
}
