/** Finds definitions that are applied only to binders of the statement, such as `drop n xs`. */
import {
  APPLICATION,
  argumentsOf,
  type BinderKind,
  BOUND,
  CONSTANT,
  type Expr,
  FORALL,
  headOf,
  LAMBDA,
  LET,
  type Name,
  partsOf,
  type Terms,
} from '@stp/lean-kernel';

export interface FoundApplication {
  readonly name: Name;
  /** Indices of the binders that are its explicit arguments. */
  readonly positions: readonly number[];
}

/** Returns the binder kinds of a relevant definition; null for any other constant. */
type KindsOf = (name: Name) => readonly BinderKind[] | null;

export function applicationsIn(terms: Terms, type: Expr, kindsOf: KindsOf): FoundApplication[] {
  const found = new Map<string, FoundApplication>();
  let own = 0;
  let at = type;
  const lookIn = (root: Expr): void => {
    for (const application of walk(terms, root, own, kindsOf)) found.set(JSON.stringify(application), application);
  };
  for (; terms.kind(at) === FORALL; at = terms.body(at), own++) lookIn(terms.binderType(at));
  lookIn(at);
  return [...found.values()];
}

/** Walks a term below `own` binders of the statement. */
function* walk(terms: Terms, root: Expr, own: number, kindsOf: KindsOf): Generator<FoundApplication> {
  const seen = new Set<string>();
  const waiting = [{ expr: root, depth: own }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { expr, depth } = next;
    const key = `${expr} ${depth}`;
    if (terms.looseBound(expr) === 0 || seen.has(key)) continue;
    seen.add(key);
    const application = applicationAt(terms, expr, depth, own, kindsOf);
    if (application !== null) yield application;
    const parts = partsOf(terms, expr);
    const bindsLast = [FORALL, LAMBDA, LET].includes(terms.kind(expr));
    const inner = parts.map((part, index) => ({
      expr: part,
      depth: bindsLast && index === parts.length - 1 ? depth + 1 : depth,
    }));
    waiting.push(...inner.reverse());
  }
}

function applicationAt(
  terms: Terms,
  expr: Expr,
  depth: number,
  own: number,
  kindsOf: KindsOf,
): FoundApplication | null {
  const head = headOf(terms, expr);
  if (terms.kind(expr) !== APPLICATION || terms.kind(head) !== CONSTANT) return null;
  const kinds = kindsOf(terms.name(head));
  const given = argumentsOf(terms, expr);
  if (kinds?.length !== given.length) return null;
  const positions = given
    .filter((_, index) => kinds[index] === 'explicit')
    .map((argument) => (terms.kind(argument) === BOUND ? depth - 1 - terms.number(argument) : -1));
  const areOwn = positions.length > 0 && positions.every((at) => at >= 0 && at < own);
  return areOwn ? { name: terms.name(head), positions } : null;
}
