/** Lists the constants of a term, each once, in the order in which they appear. */
import {
  APPLICATION,
  CONSTANT,
  type Expr,
  FORALL,
  LAMBDA,
  LET,
  type Name,
  PROJECTION,
  type Terms,
} from '@stp/lean-kernel';

export function mentionsInOrder(terms: Terms, roots: readonly Expr[]): Name[] {
  const found = new Set<Name>();
  const seen = new Set<Expr>();
  const waiting = [...roots].reverse();
  for (let expr = waiting.pop(); expr !== undefined; expr = waiting.pop()) {
    if (seen.has(expr)) continue;
    seen.add(expr);
    if (terms.kind(expr) === CONSTANT) found.add(terms.name(expr));
    waiting.push(...partsOf(terms, expr).reverse());
  }
  return [...found];
}

/** The terms directly in a term, from the left. A projection's structure is met with the value. */
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
