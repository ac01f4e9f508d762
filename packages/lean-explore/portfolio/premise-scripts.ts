/**
 * Scripts that name premises, like those of a symbolic hammer. Each is short, so that a proof shows which premise it
 * needs, and a model can learn to name it.
 */
import type { StatementContext } from '../context/statement-context.ts';
import { type SearchScript, script, simp } from '../library/search/script-text.ts';
import { introducing } from './scripts.ts';

/** Closes the goals that remain after applying a premise or rewriting with it. */
export const PREMISE_REST = 'first | assumption | rfl | omega | (simp_all; done)';

/** @param premises as a proof writes them, most likely first */
export function premiseScripts(context: StatementContext, premises: readonly string[]): SearchScript[] {
  if (premises.length === 0) return [];
  const together = ['simp', 'simp_all'].map((tactic) =>
    script('premises', `all premises, ${tactic}`, simp(premises, tactic)),
  );
  const each = premises.flatMap((premise) => [
    script('premises', 'simpa using a premise', `simpa using ${premise} ..`),
    script('premises', 'apply a premise', `apply ${premise} <;> ${PREMISE_REST}`),
    script('premises', 'rewrite with a premise', `rw [${premise}] <;> ${PREMISE_REST}`),
    script('premises', 'rewrite against a premise', `rw [← ${premise}] <;> ${PREMISE_REST}`),
  ]);
  return [...together, ...each].map(introducing(context));
}
