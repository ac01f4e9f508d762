/**
 * Training examples from goals that a round's failed searches closed (`activities/round/closed-goals.ts`): proofs of their own, the
 * steps of these, and, for a conjecturer that writes texts, what it could have asked for. What says the same as a held-out statement is
 * left out.
 */
import { hasConjecturer, type RunConfig, writesTyped } from '@stp/config';
import {
  type ArtifactRef,
  closedGoalSchema,
  type Example,
  type ObjectStore,
  type ShardResult,
} from '@stp/config/records';
import { formExamples } from '@stp/selfplay';
import type { LemmaSources, RunTheorem } from '../lemma-shelf.ts';
import { conjecturerFormOf, proverForms, stateForms } from '../prover-forms.ts';
import { readRecords } from '../records/record-files.ts';
import { heldOutTest } from './held-out.ts';

export interface HindsightInput {
  readonly sources: LemmaSources;
  /** Theorems of the run that prompts may show. */
  readonly grown: readonly RunTheorem[];
  readonly store: ObjectStore;
  readonly config: Pick<RunConfig, 'prover' | 'conjectures'>;
  readonly shards: readonly Pick<ShardResult, 'search'>[];
  /** Certified statements: a later sample may have proved what a search did not, and its proof trains. */
  readonly proved: Pick<ReadonlySet<string>, 'has'>;
  /** Of `PreparedData.heldOutKeys`. */
  readonly heldOutKeys: ArtifactRef;
}

export async function* hindsightExamples(input: HindsightInput): AsyncGenerator<Example> {
  const { sources, grown, store, config, shards, proved } = input;
  const { prover, conjectures } = config;
  const files = shards.flatMap(({ search }) => search?.closed ?? []);
  if (files.length === 0) return;
  const isHeldOut = await heldOutTest(store, sources, prover, input.heldOutKeys);
  const formOf = await proverForms(sources, prover, grown);
  const stateFormOf = await stateForms(sources, prover, grown);
  const { exampleOf } = conjecturerFormOf(prover);
  const asksForIt = hasConjecturer(conjectures) && !writesTyped(conjectures);
  for (const file of files)
    for await (const { statementId, header, target, statement, proof, steps } of readRecords(
      store,
      file,
      closedGoalSchema,
    )) {
      if (proved.has(statementId) || isHeldOut({ header, statement })) continue;
      const form = stateFormOf({ header, statement: target });
      yield* steps.flatMap(({ goal, tactic }) => formExamples(form(goal), tactic, 1 / steps.length));
      if (prover.mode === 'both') yield* formExamples(formOf({ header, statement }), proof, 1);
      const origin = { kind: 'target', targetStatement: target } as const;
      if (asksForIt) yield exampleOf({ header, origin }, false, statement, 1);
    }
}
