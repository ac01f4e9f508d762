/** Canaries are false, and Lean says so: each has a refutation here. Costs about 3 s. */
import { join } from 'node:path';
import type { Statement } from '@stp/config/records';
import { readStatements } from '@stp/datasets';
import type { Verifier } from '@stp/lean-verifier';
import { displayStatement } from '@stp/selfplay';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testVerifier } from '../support/lean.ts';

/** An instance at which the statement fails; `h` is the statement. */
const REFUTATIONS: Readonly<Record<string, string>> = {
  canary_n_succ: 'exact absurd (h 0) (by decide)',
  canary_double_self: 'exact absurd (h 1) (by decide)',
  canary_sub_cancel: 'exact absurd (h 0 1) (by decide)',
  canary_mul_lt: 'exact absurd (h 0 0) (by decide)',
  canary_rev_id: 'exact absurd (h [0, 1]) (by decide)',
  canary_append_comm: 'exact absurd (h [0] [1]) (by decide)',
  canary_length_map: 'exact absurd (h []) (by simp)',
  canary_not_self: 'exact absurd (h true) (by decide)',
  canary_and_or: 'exact absurd (h true false) (by decide)',
  canary_imp_conv: 'exact h False True (fun f => f.elim) trivial',
  canary_or_and: 'exact (h True False (Or.inl trivial)).2',
  canary_ex_all: 'exact absurd (h (fun n => n = 0) ⟨0, rfl⟩ 1) (by decide)',
  canary_le_swap: 'exact absurd (h 0 1 (by decide)) (by decide)',
  canary_zero_lt: 'exact absurd (h 0) (by decide)',
  canary_some_none: 'exact absurd (h (some 0)) (by simp)',
  canary_filter_len: 'exact absurd (h [0] (fun _ => false)) (by simp)',
};

let verifier: Verifier;
let canaries: Statement[];
beforeAll(async () => {
  verifier = await testVerifier();
  canaries = await Array.fromAsync(readStatements(join(import.meta.dirname, '..', '..', 'data', 'canaries.jsonl')));
});
afterAll(() => verifier?.close());

it('elaborate', async () => {
  const results = await verifier.checkStatements(canaries);
  expect(results.map((result) => result.kind)).toEqual(canaries.map(() => 'accepted'));
});

it('are refuted, every one', async () => {
  expect(canaries.map((canary) => canary.name).sort()).toEqual(Object.keys(REFUTATIONS).sort());
  const results = await verifier.check(
    canaries.map(({ id, name, header, statement }) => {
      // `(n : Nat) : P` → `(∀ (n : Nat), P) → False`
      const text = displayStatement(statement);
      const colon = text.search(/ : (?![^(]*\))/);
      const quantified = `∀ ${text.slice(0, colon)}, ${text.slice(colon + 3)}`;
      return { id, header, statement: `theorem not_${name} (h : ${quantified}) : False`, proof: REFUTATIONS[name]! };
    }),
  );
  expect(
    results.filter((result) => result.kind !== 'proved').map((result) => [result.kind, result.messages[0]?.text]),
  ).toEqual([]);
});
