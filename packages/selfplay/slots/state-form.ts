/**
 * The form in which a prover sees a proof state: its first goal, written like a statement, after `<state>`. Definitions
 * are those of the statement to prove, so a definition keeps its slot throughout a proof; hypotheses get slots from the
 * goal. Other goals are not shown, because a tactic works on the first goal.
 */

import type { ShownDefinition, ShownGoal, ShownLemma } from '@stp/config/records';
import { PROOF_MARKER, STATE_MARKER } from '@stp/config/words';
import { onOneLine } from '@stp/lean-text';
import { wholeAnswer } from '../formats/answer.ts';
import { displayProof } from '../prompts.ts';
import { lemmaText } from './lemma-text.ts';
import { type LemmaOffer, NO_LEMMAS, type ProverForm, withSlots } from './prover-form.ts';

/** The form of a goal within the proof of one statement. */
export type StateForm = (goal: ShownGoal) => ProverForm;

/** Inaccessible names, which no tactic can mention: `n✝`, `ih✝¹`. */
const INACCESSIBLE = /[\p{L}_][\p{L}\p{N}_'!?₀-₉.]*✝[⁰¹²³⁴-⁹]*/gu;

/** Returns the goal as a statement, for comparison with statements. Inaccessible names become ordinary names. */
export function goalStatement(goal: ShownGoal): string {
  return `theorem t ${displayGoal(goal).replace(/✝(\d+)/gu, 'hidden_$1')}`;
}

/** Lemmas come before the state, as in ReProver's generator (arXiv 2306.15626, §5.1). */
export function plainStateForm(goal: ShownGoal, lemmas: readonly ShownLemma[] = []): ProverForm {
  const above = lemmas.length === 0 ? '' : `${lemmaText(lemmas)}\n`;
  return {
    prompt: `${above}${STATE_MARKER}${displayGoal(goal)}${PROOF_MARKER}`,
    targetOf: displayProof,
    read: wholeAnswer,
  };
}

/**
 * @param definitions definitions that the statement uses, nearest first
 * @param definitionTokens approximate limit on their tokens in a prompt
 */
export function slottedStateForm(
  goal: ShownGoal,
  definitions: readonly ShownDefinition[],
  definitionTokens: number,
  offer: LemmaOffer = NO_LEMMAS,
): ProverForm {
  const binders = goal.hypotheses.map(({ names, type }) => ({ kind: 'explicit' as const, names, type }));
  const shown = { marker: STATE_MARKER, text: displayGoal(goal), binders, offer };
  return withSlots(shown, definitions, definitionTokens) ?? plainStateForm(goal);
}

/** Writes a goal as `(x y : Nat) (h : p x) : q y`; inaccessible names are numbered in order, `✝0`. */
function displayGoal({ hypotheses, target }: ShownGoal): string {
  const binders = hypotheses.map(({ names, type, value }) => {
    const text = `${names.join(' ')} : ${onOneLine(type)}`;
    return `(${value === undefined ? text : `${text} := ${onOneLine(value)}`}) `;
  });
  const numbers = new Map<string, string>();
  return `${binders.join('')}: ${onOneLine(target)}`.replace(INACCESSIBLE, (name) => {
    const number = numbers.get(name) ?? `✝${numbers.size}`;
    numbers.set(name, number);
    return number;
  });
}
