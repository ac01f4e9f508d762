/**
 * Scripts that name premises: what a symbolic hammer tries. Each is short, so that a proof says which premise it needs, and a model
 * can learn to name it at once.
 */
import type { StatementContext } from '../context/statement-context.ts';
import { type SearchScript, script, simp } from '../library/search/script-text.ts';
import { introducing } from './scripts.ts';

/** Script for the goals that are left after a premise has been applied or rewritten with. */
export const PREMISE_REST = 'first | assumption | rfl | omega | (simp_all; done)';

/** @param premises as a proof writes them, the most likely first */
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
