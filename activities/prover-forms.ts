/** The form in which a run's prover sees statements, as set in its configuration. */
import { PROVER_WITHOUT_SLOTS, type ProverConfig } from '../data/schemas/run-config.ts';
import { RelevantLemmas } from '../selfplay/relevant-lemmas.ts';
import { type ProverForms, plainForm, type Stated, slottedForm } from '../selfplay/slots/prover-form.ts';
import { slotKey } from '../selfplay/slots/slot-key.ts';
import { boundNames } from '../selfplay/slots/slot-table.ts';
import type { Sources } from './ports.ts';

/** @param prover not there in what a workflow asked for that began before there were slots */
export async function proverForms(
  sources: Pick<Sources, 'definitions'>,
  prover: ProverConfig = PROVER_WITHOUT_SLOTS,
): Promise<ProverForms> {
  if (!prover.slots) return ({ statement }) => plainForm(statement);
  const definitions = await sources.definitions();
  return ({ header, statement }) => {
    const shown = definitions.under(header, statement, boundNames(statement));
    return slottedForm(statement, shown, prover.definitionTokens);
  };
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

/** What statements are kept apart by where names are slots (`slotKey`); null where they are not. */
export async function slotKeys(
  sources: Pick<Sources, 'definitions'>,
  prover: ProverConfig = PROVER_WITHOUT_SLOTS,
): Promise<(stated: Stated) => string | null> {
  if (!prover.slots) return () => null;
  const definitions = await sources.definitions();
  return ({ header, statement }) => slotKey(statement, definitions.under(header, statement, boundNames(statement)));
}
