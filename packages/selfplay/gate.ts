/**
 * The tests that refuse a conjecture, as things to prove: a cheap tactic closes the statement, its hypotheses
 * contradict each other, or a cheap tactic proves its negation. Each question is a list of candidates for the verifier;
 * a conjecture is refused when Lean accepts one of them, so a refusal as `vacuous` or `refutable` is never wrong.
 * Lean's answer within the small limits is final: a longer proof is not cheap.
 */

import type { Conjecturing } from '@stp/config';
import { statementPieces, typeColon } from '@stp/lean-text';
import { instanceArguments, isData, typeVariables } from './instances.ts';
import { displayStatement } from './prompts.ts';
import { readSignature } from './statement-signature.ts';

/** Something to prove about a conjecture. */
export interface GateCandidate {
  readonly statement: string;
  readonly proof: string;
}

const first = (tactics: readonly string[]): string => `first\n  | ${tactics.join('\n  | ')}`;

/**
 * Closes what needs no idea: the two sides are the same, it is a hypothesis, it is a finite check, or arithmetic does
 * it. `simp` runs with what is marked for it, and no tactic here names a lemma. One `first`, cheapest first, since
 * starting a candidate costs as much as a tactic that fails.
 */
export const TRIVIAL_PROOF = `intros\n${first(['rfl', 'assumption', 'decide', 'omega', '(simp <;> fail)'])}`;
/** Finds a contradiction among hypotheses. `simp_all` comes last: it is the only one that can take long. */
const CONTRADICTION_TACTICS = ['contradiction', 'omega', '(simp_all <;> fail)'];
/** Proves a negated statement without an instance: `n + 1 = n` becomes `False` by itself. */
const NEGATION_TACTICS = ['decide', '(simp <;> fail)'];

/**
 * Closes what an instance leaves: its hypotheses, and the negation of its conclusion. Not a `by` within a term: its
 * failure would be reported, and `first` would take the instance for a success.
 */
const AT_VALUES = '(first | decide | (simp <;> fail))';

/** Is it closed by a cheap tactic? */
export function trivialityCandidates(statement: string): GateCandidate[] {
  return [{ statement, proof: TRIVIAL_PROOF }];
}

/**
 * Do its hypotheses contradict each other: is it proved without a look at its conclusion? None where it has no hypothesis.
 * A statement that concludes `False` says of itself that its hypotheses do, and is refused as well when that is cheap.
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

/** Small enough that a decision by computation stays cheap. */
const NUMERAL = /(?<![\p{L}\p{N}_.])\d{1,2}(?![\p{L}\p{N}_.])/gu;

/** Is its negation proved by a cheap tactic, or by an instance with small values? */
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

/** `(n : Nat) : P` → `∀ (n : Nat), P`: the statement as one proposition. */
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
 * The questions that the configuration asks, in the order in which they cost least for what they remove. Of what a small
 * model writes and Lean elaborates two thirds are refutable and a fifth trivial, at about the same cost a question; hardly
 * anything is vacuous. No statement is both trivial and refutable, or vacuous and refutable, so the order of these does
 * not change what is counted.
 */
export function gateQuestions(gate: Conjecturing['gate']): GateQuestion[] {
  const questions: GateQuestion[] = [];
  if (gate.refuseRefutable) questions.push({ verdict: 'refutable', candidates: refutationCandidates });
  if (gate.refuseTrivial) questions.push({ verdict: 'trivial', candidates: trivialityCandidates });
  if (gate.refuseVacuous) questions.push({ verdict: 'vacuous', candidates: vacuityCandidates });
  return questions;
}
