/** Lists the constants of a term, each once, in the order in which they appear. */
import { CONSTANT, type Expr, type Name, partsOf, type Terms } from '@stp/lean-kernel';

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
