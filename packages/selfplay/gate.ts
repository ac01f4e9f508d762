/**
 * The tests that refuse a conjecture, as statements to prove: a cheap tactic closes it, its hypotheses contradict each
 * other, or a cheap tactic proves its negation. Each question is a list of candidates for the verifier. A conjecture is
 * refused when Lean accepts one of them, so a refusal as `vacuous` or `refutable` is never wrong. Lean's answer within
 * the small limits is final, since a longer proof is not cheap.
 */

import type { Conjecturing } from '@stp/config';
import { statementPieces, typeColon } from '@stp/lean-text';
import { instanceArguments, isData, typeVariables } from './instances.ts';
import { displayStatement } from './prompts.ts';
import { readSignature } from './statement-signature.ts';

/** A statement to prove about a conjecture. */
export interface GateCandidate {
  readonly statement: string;
  readonly proof: string;
}

const first = (tactics: readonly string[]): string => `first\n  | ${tactics.join('\n  | ')}`;

/**
 * Closes statements that need no idea: the two sides are equal, a hypothesis is the statement, a finite check or
 * arithmetic suffices. `simp` uses its marked theorems, and no tactic here names a lemma. All tactics are in one
 * `first`, cheapest first, since starting a candidate costs as much as a failing tactic.
 */
export const TRIVIAL_PROOF = `intros\n${first(['rfl', 'assumption', 'decide', 'omega', '(simp <;> fail)'])}`;
/** Finds a contradiction among hypotheses. `simp_all` comes last, because only it can take long. */
const CONTRADICTION_TACTICS = ['contradiction', 'omega', '(simp_all <;> fail)'];
/** Proves a negated statement without an instance: `n + 1 = n` becomes `False` directly. */
const NEGATION_TACTICS = ['decide', '(simp <;> fail)'];

/**
 * Closes the goals that an instance leaves: its hypotheses, and the negation of its conclusion. It is no `by` inside a
 * term, whose failure would be reported while `first` counted the instance as a success.
 */
const AT_VALUES = '(first | decide | (simp <;> fail))';

/** Does a cheap tactic close the statement? */
export function trivialityCandidates(statement: string): GateCandidate[] {
  return [{ statement, proof: TRIVIAL_PROOF }];
}

/**
 * Do the hypotheses contradict each other, so that the conclusion is irrelevant? No candidates without hypotheses. A
 * statement that concludes `False` asserts the contradiction itself, and is also refused if a cheap proof exists.
 */
export function vacuityCandidates(statement: string): GateCandidate[] {
  const signature = readSignature(statement);
  if (signature === null) return [];
  const variables = typeVariables(signature.binders);
  const hypotheses = signature.binders.filter(
    (binder) => binder.kind === 'explicit' && !isData(binder.type, variables),
  );
  if (hypotheses.length === 0 && signature.antecedents.length === 0) return [];
  return [{ statement, proof: `intros\nexfalso\n${first(CONTRADICTION_TACTICS)}` }];
}

/** Matches numbers small enough that deciding by computation stays cheap. */
const NUMERAL = /(?<![\p{L}\p{N}_.])\d{1,2}(?![\p{L}\p{N}_.])/gu;

/** Does a cheap tactic, or an instance with small values, prove the negation? */
export function refutationCandidates(statement: string): GateCandidate[] {
  const signature = readSignature(statement);
  if (signature === null) return [];
  const negation = `theorem refutation : ¬ (${quantified(statement)})`;
  const numerals = displayStatement(statement).match(NUMERAL) ?? [];
  const instances =
    signature.binders.length === 0
      ? []
      : instanceArguments(signature.binders, numerals).map(
          (values) => `(intro h; refine absurd (@h ${values}) ?_ <;> ${AT_VALUES})`,
        );
  return [{ statement: negation, proof: first([...instances, ...NEGATION_TACTICS]) }];
}

/** Rewrites `(n : Nat) : P` as `∀ (n : Nat), P`, one proposition. */
function quantified(statement: string): string {
  const text = displayStatement(statement);
  if (text.startsWith(':')) return text.slice(1).trim();
  const { pieces } = statementPieces(text);
  const colon = pieces[typeColon(pieces)]!.at;
  return `∀ ${text.slice(0, colon).trim()}, ${text.slice(colon + 1).trim()}`;
}

export interface GateQuestion {
  readonly verdict: 'trivial' | 'vacuous' | 'refutable';
  readonly candidates: (statement: string) => GateCandidate[];
}

/**
 * Returns the configured questions, ordered by cost for each refusal: of a small model's statements that elaborate most
 * are refutable, some trivial, hardly any vacuous. No statement is both trivial and refutable, or both vacuous and
 * refutable, so the order of these does not change the counts.
 */
export function gateQuestions(gate: Conjecturing['gate']): GateQuestion[] {
  const questions: GateQuestion[] = [];
  if (gate.refuseRefutable) questions.push({ verdict: 'refutable', candidates: refutationCandidates });
  if (gate.refuseTrivial) questions.push({ verdict: 'trivial', candidates: trivialityCandidates });
  if (gate.refuseVacuous) questions.push({ verdict: 'vacuous', candidates: vacuityCandidates });
  return questions;
}
