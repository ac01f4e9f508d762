/** Splits applications into head and arguments, and terms into their immediate subterms. */
import { APPLICATION, CONSTANT, type Expr, FORALL, LAMBDA, LET, PROJECTION, type Terms } from './expr.ts';
import { EMPTY_LEVELS, type LevelList } from './level.ts';
import type { Name } from './name.ts';

export function headOf(terms: Terms, expr: Expr): Expr {
  let head = expr;
  while (terms.kind(head) === APPLICATION) head = terms.fn(head);
  return head;
}

export function argumentsOf(terms: Terms, expr: Expr): Expr[] {
  const found: Expr[] = [];
  for (let at = expr; terms.kind(at) === APPLICATION; at = terms.fn(at)) found.push(terms.argument(at));
  return found.reverse();
}

export function argumentCount(terms: Terms, expr: Expr): number {
  let count = 0;
  for (let at = expr; terms.kind(at) === APPLICATION; at = terms.fn(at)) count++;
  return count;
}

/** Returns `head` applied to `given[from]` … `given[to - 1]`. */
export function apply(terms: Terms, head: Expr, given: readonly Expr[], from = 0, to = given.length): Expr {
  let result = head;
  for (let at = from; at < to; at++) result = terms.application(result, given[at]!);
  return result;
}

export function isConstant(terms: Terms, expr: Expr, name: Name, levels: LevelList = EMPTY_LEVELS): boolean {
  return terms.kind(expr) === CONSTANT && terms.name(expr) === name && terms.levelList(expr) === levels;
}

/**
 * Returns the immediate subterms from left to right. The structure of a projection is a name, not a subterm; the type
 * of its value mentions it.
 */
export function partsOf(terms: Terms, expr: Expr): Expr[] {
  switch (terms.kind(expr)) {
    case APPLICATION:
      return [terms.fn(expr), terms.argument(expr)];
    case LAMBDA:
    case FORALL:
      return [terms.binderType(expr), terms.body(expr)];
    case LET:
      return [terms.binderType(expr), terms.letValue(expr), terms.letBody(expr)];
    case PROJECTION:
      return [terms.projected(expr)];
    default:
      return [];
  }
}
