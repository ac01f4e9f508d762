/** Scripts taken apart, and library proofs traced step by step with real Lean. About ten seconds of one core. */

import { type LeanEnvironment, LIBRARY_HEADER } from '@stp/lean-verifier';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { extractLibrary } from '../library/extract.ts';
import { LIBRARY_DIRECTORY, libraryEnvironment } from '../testing/library.ts';
import { LIMITS, open, start } from '../testing/opened-steps.ts';
import { scriptSteps } from './script-steps.ts';
import { traceProof } from './trace.ts';
import { readTraced, tracedProofId } from './traced-file.ts';

vi.setConfig({ testTimeout: 180_000 });

const tactic = (text: string) => ({ kind: 'tactic', text });

describe('a script taken apart', () => {
  test.each([
    ['  rfl', [tactic('rfl')]],
    ['intro h -- a comment\nexact h', [tactic('intro h'), tactic('exact h')]],
    ['  simp [\n    a,\n    b]\n  rfl', [tactic('simp [\n  a,\n  b]'), tactic('rfl')]],
    ['constructor\n· intro h\n  exact h\n· rfl', ['constructor', 'intro h', 'exact h', 'rfl'].map(tactic)],
    ['cases b <;> simp [f (a <;> b)]', [{ kind: 'chain', parts: ['cases b', 'simp [f (a <;> b)]'] }]],
    ['(cases b <;> simp)', [tactic('(cases b <;> simp)')]],
    [
      'have h : a = b := by\n  cases a <;> rfl\nexact h',
      [tactic('have h : a = b := by\n  cases a <;> rfl'), tactic('exact h')],
    ],
    [
      '  induction n generalizing m with\n  | zero => rfl\n  | succ k ih =>\n    cases m with\n    | zero => simp\n    | succ j => rw [ih]; rfl',
      [
        {
          kind: 'split',
          text: 'induction n generalizing m with\n| zero => ?_\n| succ k ih => ?_',
          bodies: [
            [tactic('rfl')],
            [
              {
                kind: 'split',
                text: 'cases m with\n| zero => ?_\n| succ j => ?_',
                bodies: [[tactic('simp')], [tactic('rw [ih]; rfl')]],
              },
            ],
          ],
        },
      ],
    ],
    // What has columns that only the whole line tells stays whole.
    ['cases h with\n| inl a => first\n    | rfl\n    | simp\n| inr b => rfl', [{ kind: 'tactic' }]],
  ])('%s', (script, expected) => {
    expect(scriptSteps(script)).toMatchObject(expected);
    expect(scriptSteps(script)).toHaveLength(expected.length);
  });

  test('is none where the screen refuses the script', () => {
    expect(scriptSteps('rfl\n#eval 1')).toBeNull();
    expect(scriptSteps('')).toBeNull();
  });
});

let environment: LeanEnvironment;
beforeAll(async () => {
  environment = await libraryEnvironment();
}, 600_000);
const opened = () => open({ environment, libraryHeader: LIBRARY_HEADER });

test('a traced proof is its states and tactics, in parts and as written, and nothing where Lean does not follow', async () => {
  const steps = opened();
  const root = await start(steps, 'theorem t (xs : List Nat) : app xs [] = xs');
  const traced = await traceProof(root, 'induction xs <;> simp_all [app]', LIMITS);
  expect(traced.map((step) => [step.goal.target, step.tactic])).toEqual([
    ['app xs [] = xs', 'induction xs'],
    ['app [] [] = []', 'simp_all [app]'],
    ['app (head✝ :: tail✝) [] = head✝ :: tail✝', 'simp_all [app]'],
    ['app xs [] = xs', 'induction xs <;> simp_all [app]'],
  ]);
  expect(traced[2]!.goal.hypotheses.at(-1)).toEqual({ names: ['tail_ih✝'], type: 'app tail✝ [] = tail✝' });
  const named = await traceProof(
    root,
    'induction xs with\n| nil => rfl\n| cons x xs ih =>\n  simp [app]\n  exact ih',
    LIMITS,
  );
  expect(named.map((step) => step.tactic)).toEqual([
    'induction xs with\n| nil => ?_\n| cons x xs ih => ?_',
    'rfl',
    'simp [app]',
    'exact ih',
  ]);
  expect(await traceProof(root, 'simp [app]', LIMITS)).toEqual([]);
  expect(await traceProof(root, 'induction xs\nrfl', LIMITS)).toEqual([]);
});

test('the file of traced proofs is of proofs that are there, and says what Lean says now', async () => {
  const { theorems } = await extractLibrary(LIBRARY_DIRECTORY);
  const byName = new Map(theorems.map((theorem) => [theorem.name, theorem]));
  const traced = (await readTraced(`${LIBRARY_DIRECTORY}/../sft/steps.jsonl`))!;
  expect(traced.rows.length).toBeGreaterThan(1_000);
  expect(traced.rows.filter(({ theorem }) => !byName.has(theorem))).toEqual([]);
  const own = traced.rows.filter(
    ({ theorem, proof }) => tracedProofId(byName.get(theorem)!, byName.get(theorem)!.proof) === proof,
  );
  expect(own.length).toBeGreaterThan(100);
  const steps = opened();
  for (const row of own.filter((_, index) => index % Math.ceil(own.length / 12) === 0)) {
    const theorem = byName.get(row.theorem)!;
    const root = await start(steps, theorem.statement, theorem.header);
    expect([row.theorem, await traceProof(root, theorem.proof, LIMITS)]).toEqual([row.theorem, row.steps]);
  }
});
