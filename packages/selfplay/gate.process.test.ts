/** The gate's questions to Lean: the candidates as text, and their answers on real Lean. Costs about 5 s. */
import { join } from 'node:path';
import type { Statement } from '@stp/config/records';
import { readStatements } from '@stp/datasets';
import type { Verifier } from '@stp/lean-verifier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testVerifier } from '../../test/support/lean.ts';
import {
  type GateCandidate,
  gateQuestions,
  refutationCandidates,
  trivialityCandidates,
  vacuityCandidates,
} from './gate.ts';
import { instanceArguments } from './instances.ts';
import { readSignature } from './statement-signature.ts';

describe('signature', () => {
  it('takes binders, hypotheses and conclusion apart', () => {
    const text =
      'theorem t {α : Type} (xs ys : List α) (h : xs = ys) [Inhabited α] : ∀ n : Nat, n < 2 → xs = ys → n = 0';
    expect(readSignature(text)).toEqual({
      binders: [
        { kind: 'implicit', names: ['α'], type: 'Type' },
        { kind: 'explicit', names: ['xs', 'ys'], type: 'List α' },
        { kind: 'explicit', names: ['h'], type: 'xs = ys' },
        { kind: 'instance', names: [], type: 'Inhabited α' },
        { kind: 'explicit', names: ['n'], type: 'Nat' },
      ],
      antecedents: ['n < 2', 'xs = ys'],
      conclusion: 'n = 0',
    });
  });
  it('drops defaults and leaves what it cannot read in the conclusion', () => {
    expect(readSignature('theorem t (n : Nat := 3) : ∀ x < n, x ≠ n')).toMatchObject({
      binders: [{ kind: 'explicit', names: ['n'], type: 'Nat' }],
      conclusion: '∀ x < n, x ≠ n',
    });
    expect(readSignature('theorem t (n : Nat')).toBeNull();
  });
});

describe('instances', () => {
  it('give every binder a value of its type, a type variable Nat, an instance to Lean, a hypothesis to a tactic', () => {
    const { binders } = readSignature(
      'theorem t {α : Type} (xs : List α) (f : α → Bool) (h : xs ≠ []) [Inhabited α] : xs = []',
    )!;
    expect(instanceArguments(binders).slice(0, 2)).toEqual([
      'Nat [] (fun _ => false) ?_ _',
      'Nat [1] (fun x => x == 0) ?_ _',
    ]);
  });
});

it('deeply nested types and names of JavaScript itself are no types that are known here', () => {
  const nested = `theorem t (x : ${'List ('.repeat(200)}Nat${')'.repeat(200)}) (y : constructor) : x = x`;
  expect(instanceArguments(readSignature(nested)!.binders)).toEqual(['?_ ?_']);
  expect(readSignature('theorem t constructor : 1 = 1')).toBeNull();
});

it('the gate asks what it is told to, and vacuity only where there is a hypothesis', () => {
  const none = { refuseTrivial: false, refuseVacuous: false, refuseRefutable: false };
  expect(gateQuestions(none)).toEqual([]);
  expect(gateQuestions({ ...none, refuseVacuous: true }).map(({ verdict }) => verdict)).toEqual(['vacuous']);
  expect(vacuityCandidates('theorem t (n m : Nat) : n = m')).toEqual([]);
  expect(vacuityCandidates('theorem t (n m : Nat) : n = m → m = n')).toHaveLength(1);
  expect(vacuityCandidates('theorem t (n m : Nat) (h : n = m) : m = n')).toHaveLength(1);
});

describe('on real Lean', () => {
  let verifier: Verifier;
  beforeAll(async () => {
    verifier = await testVerifier();
  });
  afterAll(() => verifier?.close());

  const refused = async (
    statements: readonly Pick<Statement, 'name' | 'header' | 'statement'>[],
    candidatesOf: (statement: string) => GateCandidate[],
  ): Promise<string[]> => {
    const candidates = statements.flatMap(({ name, header, statement }) =>
      candidatesOf(statement).map((candidate) => ({ id: name, header, ...candidate })),
    );
    const results = await verifier.check(candidates, { smallLimitsOnly: true });
    return results.filter(({ kind }) => kind === 'proved').map(({ id }) => id);
  };
  const named = (statements: Record<string, string>) =>
    Object.entries(statements).map(([name, rest]) => ({ name, header: null, statement: `theorem ${name} ${rest}` }));

  it('the negation of every canary but one is proved, and no true statement is refuted', async () => {
    const canaries = await Array.fromAsync(
      readStatements(join(import.meta.dirname, '..', '..', 'data', 'canaries.jsonl')),
    );
    const found = new Set(await refused(canaries, refutationCandidates));
    // It needs a predicate and then a number at which it fails, under a ∀ without a type.
    expect(canaries.map(({ name }) => name).filter((name) => !found.has(name))).toEqual(['canary_ex_all']);
    const truths = named({
      comm: '(a b : Nat) : a + b = b + a',
      nil: '{α : Type} (xs : List α) : xs ++ [] = xs',
      conditional: '(a b : Nat) (h : a < b) : ¬ b ≤ a',
      prop: '(p q : Prop) (h : p ∧ q) : q ∧ p',
    });
    expect(await refused(truths, refutationCandidates)).toEqual([]);
  });

  it('tells what is trivial, what is vacuous, and what is neither', async () => {
    const statements = named({
      same: '(n : Nat) : n = n',
      linear: '(a b : Nat) (h : a < b) : a + 1 ≤ b',
      finite: ': 2 + 2 = 4',
      contradiction: '(xs ys : List Nat) (h : xs ≠ xs) : xs ++ ys = ys',
      impossible: '(n m : Nat) (h : n < m) (i : m < n) : n * n = m',
      induction: '(n m : Nat) : n * (m + 0) * 1 = n * m ∧ n ^ 2 * m = m * n * n',
    });
    expect(await refused(statements, trivialityCandidates)).toEqual(
      expect.arrayContaining(['same', 'linear', 'finite']),
    );
    expect(await refused(statements, trivialityCandidates)).not.toContain('induction');
    expect(await refused(statements, vacuityCandidates)).toEqual(['contradiction', 'impossible']);
  });
});
