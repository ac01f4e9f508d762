/**
 * Orients an equation as a rewrite rule from its greater to its smaller side, in the lexicographic path order (Kamin
 * and Lévy 1980; Baader and Nipkow, Term Rewriting and All That, §5.4.2). Functions are unfolded to their definitions
 * and constructors move outwards, as when Lean computes: `plus n (m + 1)` becomes `plus n m + 1`.
 */
import type { TermSymbol } from './symbol-schemes.ts';
import { type Equation, type Term, variablesOf, variableTerm } from './terms.ts';

/**
 * Returns a rank by full name. A function's rank is greater than those of all functions in its definition; a
 * constructor's is greater than those of smaller constructors of its type.
 */
export type RankOf = (name: string) => number;

/** Returns the equation with its greater side on the left. */
export function byPathOrder(equation: Equation, rankOf: RankOf): Equation {
  const { left, right } = equation;
  return isGreater(right, left, rankOf) ? { ...equation, left: right, right: left } : equation;
}

function isGreater(one: Term, other: Term, rankOf: RankOf): boolean {
  if ('variable' in one.form) return false;
  if ('variable' in other.form) return variablesOf(one).some((its) => variableTerm(its).key === other.key);
  const [own, its] = [one.form, other.form];
  if (own.args.some((part) => part.key === other.key || isGreater(part, other, rankOf))) return true;
  const heads = compared(own.symbol, its.symbol, rankOf);
  if (heads < 0 || !its.args.every((part) => isGreater(one, part, rankOf))) return false;
  const at = own.args.findIndex((part, index) => part.key !== its.args[index]?.key);
  return heads > 0 || (at >= 0 && isGreater(own.args[at]!, its.args[at]!, rankOf));
}

/** Compares symbols. Constructors are less than functions; for equal ranks the names decide. */
function compared(one: TermSymbol, other: TermSymbol, rankOf: RankOf): number {
  if (one.name === other.name) return 0;
  if (one.isConstructor !== other.isConstructor) return one.isConstructor ? -1 : 1;
  return rankOf(one.name) - rankOf(other.name) || (one.name < other.name ? -1 : 1);
}
