/** The forms in which a run's configuration has the model see statements and conjecturing tasks. */
import { formatOf, meetsStates, type Prompts, type ProverConfig, writesTactics } from '@stp/config';
import { LIBRARY_HEADER, markedProof, withoutMarks } from '@stp/lean-verifier';
import {
  boundNames,
  type ConjecturerForm,
  conjecturerForm,
  displayProof,
  formattedForm,
  formExamples,
  goalStatement,
  keyUnderAnyHeader,
  lemmasWithin,
  type ProofExamples,
  type ProverForm,
  plainStateForm,
  type Stated,
  type StateForm,
  slotKey,
  slottedForm,
  slottedStateForm,
} from '@stp/selfplay';
import { keyUnder, type LemmaSources, lemmaOffers, type RunTheorem, type StatementToProve } from './lemma-shelf.ts';
import type { Sources } from './ports.ts';

/** @param grown theorems that the run has proved; prompts may show them */
export async function proverForms(
  sources: LemmaSources,
  prover: Prompts,
  grown: readonly RunTheorem[] = [],
): Promise<(asked: StatementToProve) => ProverForm> {
  const offerFor = await lemmaOffers(sources, prover, grown);
  if (!prover.slots) {
    const format = formatOf(prover);
    return (asked) => formattedForm(format, asked, LIBRARY_HEADER, offerFor(asked).offer());
  }
  const definitions = await sources.definitions();
  return (asked) => {
    const { header, statement } = asked;
    const shown = definitions.under(header, statement, boundNames(statement));
    return slottedForm(statement, shown, prover.definitionTokens, offerFor(asked).offer());
  };
}

/** Returns the conjecturer's form. Only the prover sees slots. */
export function conjecturerFormOf(prover: Prompts): ConjecturerForm {
  return conjecturerForm(formatOf(prover), LIBRARY_HEADER);
}

/** Returns a form whose proofs run with the marks of a namespace. The training targets do not mention the namespace. */
export function markedForm(form: ProverForm, namespace: string): ProverForm {
  const read: ProverForm['read'] = (text, finish) => {
    const answer = form.read(text, finish);
    return answer.kind === 'proof' ? { ...answer, proof: markedProof(displayProof(answer.proof), namespace) } : answer;
  };
  return { ...form, read };
}

/** Returns the form in which the prover sees the states in a statement's proof; compare `proverForms`. */
export async function stateForms(
  sources: LemmaSources,
  prover: Prompts,
  grown: readonly RunTheorem[] = [],
): Promise<(asked: StatementToProve) => StateForm> {
  const offerFor = await lemmaOffers(sources, prover, grown);
  if (!prover.slots)
    return (asked) => {
      const { offer: offerAt } = offerFor(asked);
      return (goal) => {
        const { lemmas, tokens } = offerAt(goalStatement(goal));
        return plainStateForm(goal, lemmasWithin(lemmas, tokens));
      };
    };
  const definitions = await sources.definitions();
  return (asked) => {
    const { header, statement } = asked;
    const shown = definitions.under(header, statement, boundNames(statement));
    const { offer: offerAt } = offerFor(asked);
    return (goal) => slottedStateForm(goal, shown, prover.definitionTokens, offerAt(goalStatement(goal)));
  };
}

/**
 * Makes training examples from certified proofs, as `prover.mode` requires. A proof that no search found has no steps.
 */
export async function proofExamples(
  sources: LemmaSources,
  prover: ProverConfig,
  grown: readonly RunTheorem[] = [],
): Promise<ProofExamples> {
  const { mode } = prover;
  const formOf = await proverForms(sources, prover, grown);
  const stateFormOf = await stateForms(sources, prover, grown);
  return (found, weight) => {
    const whole = writesTactics(mode) ? [] : formExamples(formOf(found), withoutMarks(found.proof), weight);
    if (!meetsStates(mode) || found.steps === undefined) return whole;
    const form = stateFormOf(found);
    return [...whole, ...found.steps.flatMap(({ goal, tactic }) => formExamples(form(goal), tactic, weight))];
  };
}

/**
 * Returns the keys that keep training data apart from a run's statements if names are slots (`slotKey`); null if they
 * are not.
 */
export async function slotKeys(
  sources: Pick<Sources, 'definitions'>,
  prover: Pick<Prompts, 'slots'>,
): Promise<(stated: Stated) => string | null> {
  if (!prover.slots) return () => null;
  const definitions = await sources.definitions();
  return ({ header, statement }) => slotKey(statement, definitions.under(header, statement, boundNames(statement)));
}

/**
 * Returns the key of a theorem under any header: `theoremKey` with slots, otherwise its text and its header's
 * definitions (`keyUnderAnyHeader`).
 */
export async function theoremKeys(
  sources: Pick<Sources, 'definitions'>,
  prover: Pick<Prompts, 'slots'>,
): Promise<(stated: Stated) => string> {
  if (!prover.slots) return keyUnderAnyHeader;
  const definitions = await sources.definitions();
  return (stated) => keyUnder(definitions, stated);
}
