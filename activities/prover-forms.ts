/** The forms in which a run's model sees statements and conjecturing tasks, as set in its configuration. */
import { formatOf } from '../data/config/formats.ts';
import { hasSearch, PROVER_WITHOUT_SLOTS, type ProverConfig, proverMode } from '../data/schemas/run-config.ts';
import { LIBRARY_HEADER } from '../lean/trust/header.ts';
import { type ConjecturerForm, conjecturerForm, formattedForm } from '../selfplay/formats/formatted.ts';
import type { ProofExamples } from '../selfplay/prover-set.ts';
import { RelevantLemmas } from '../selfplay/relevant-lemmas.ts';
import { formExamples, type ProverForms, type Stated, slottedForm } from '../selfplay/slots/prover-form.ts';
import { slotKey } from '../selfplay/slots/slot-key.ts';
import { boundNames } from '../selfplay/slots/slot-table.ts';
import { plainStateForm, type StateForm, slottedStateForm } from '../selfplay/slots/state-form.ts';
import type { Sources } from './ports.ts';

/** @param prover not there in what a workflow asked for that began before there were slots */
export async function proverForms(
  sources: Pick<Sources, 'definitions'>,
  prover: ProverConfig = PROVER_WITHOUT_SLOTS,
): Promise<ProverForms> {
  if (!prover.slots) {
    const format = formatOf(prover);
    return (stated) => formattedForm(format, stated, LIBRARY_HEADER);
  }
  const definitions = await sources.definitions();
  return ({ header, statement }, lemmas) => {
    const shown = definitions.under(header, statement, boundNames(statement));
    return slottedForm(statement, shown, prover.definitionTokens, lemmas);
  };
}

/** @param prover as of `proverForms`; slots are the prover's alone */
export function conjecturerFormOf(prover: ProverConfig = PROVER_WITHOUT_SLOTS): ConjecturerForm {
  return conjecturerForm(formatOf(prover), LIBRARY_HEADER);
}

/** Names of grown theorems that a proof of a statement may list beside its functions; none where the configuration asks for none. */
export async function lemmasInReach(
  sources: Pick<Sources, 'definitions'>,
  prover: ProverConfig = PROVER_WITHOUT_SLOTS,
  grown: readonly (Stated & { readonly name: string })[] = [],
): Promise<(stated: Stated) => readonly string[]> {
  if (!prover.slots || !(prover.lemmasMax > 0) || grown.length === 0) return () => [];
  const definitions = await sources.definitions();
  const functionsOf = ({ header, statement }: Stated): string[] =>
    definitions
      .under(header, statement, boundNames(statement))
      .flatMap(({ kind, written }) => (kind === 'function' ? [written] : []));
  const lemmas = new RelevantLemmas(
    grown.map(({ name, header, statement }) => ({ name, header, functions: functionsOf({ header, statement }) })),
  );
  return (stated) => lemmas.for(stated.header, functionsOf(stated), prover.lemmasMax);
}

/** The form in which the prover sees the states in a statement's proof; compare `proverForms`. */
export async function stateForms(
  sources: Pick<Sources, 'definitions'>,
  prover: ProverConfig,
): Promise<(stated: Stated) => StateForm> {
  if (!prover.slots) return () => plainStateForm;
  const definitions = await sources.definitions();
  return ({ header, statement }) => {
    const shown = definitions.under(header, statement, boundNames(statement));
    return (goal) => slottedStateForm(goal, shown, prover.definitionTokens);
  };
}

/** Training examples from certified proofs, as `prover.mode` asks. A proof that no search found has no steps. */
export async function proofExamples(
  sources: Pick<Sources, 'definitions'>,
  prover: ProverConfig = PROVER_WITHOUT_SLOTS,
): Promise<ProofExamples> {
  const mode = proverMode({ prover });
  const formOf = await proverForms(sources, prover);
  const stateFormOf = await stateForms(sources, prover);
  return (found, weight) => {
    const whole = mode === 'steps' ? [] : formExamples(formOf(found), found.proof, weight);
    if (!hasSearch(mode) || found.steps === undefined) return whole;
    const form = stateFormOf(found);
    return [...whole, ...found.steps.flatMap(({ goal, tactic }) => formExamples(form(goal), tactic, weight))];
  };
}

/** What statements are kept apart by where names are slots (`slotKey`); null where they are not. */
export async function slotKeys(
  sources: Pick<Sources, 'definitions'>,
  prover: ProverConfig = PROVER_WITHOUT_SLOTS,
): Promise<(stated: Stated) => string | null> {
  if (!prover.slots) return () => null;
  const definitions = await sources.definitions();
  return ({ header, statement }) => slotKey(statement, definitions.under(header, statement, boundNames(statement)));
}
