/**
 * Finds the axioms on which each constant depends, directly or through the constants that it mentions. Equal sets are
 * shared, because there are few different ones.
 */
import {
  APPLICATION,
  CONSTANT,
  type Expr,
  FORALL,
  LAMBDA,
  LET,
  NATURAL,
  PROJECTION,
  STRING,
  type Terms,
} from './expr.ts';
import { PairMemory } from './memory.ts';
import type { Name } from './name.ts';
import type { LiteralConstants } from './special/literal-constants.ts';
import { Decline } from './verdict.ts';

/** Maximum number of axioms behind one constant. */
const AXIOMS_MAX = 1_000;

export class Axioms {
  readonly #terms: Terms;
  readonly #literals: LiteralConstants;
  readonly #of = new Map<Name, ReadonlySet<Name>>();
  readonly #sets = new Map<string, ReadonlySet<Name>>([['', new Set()]]);
  readonly #seen = new PairMemory();

  constructor(terms: Terms, literals: LiteralConstants) {
    this.#terms = terms;
    this.#literals = literals;
  }

  /**
   * Returns the axioms of constants made of these terms. Declines more than `AXIOMS_MAX`, because the sets are kept.
   */
  behind(names: readonly Name[], parts: readonly Expr[], isAxiom: boolean): ReadonlySet<Name> {
    const found = new Set<Name>(isAxiom ? names : []);
    for (const name of mentioned(this.#terms, this.#literals, parts, this.#seen))
      for (const axiom of this.#of.get(name) ?? []) found.add(axiom);
    if (found.size > AXIOMS_MAX) throw new Decline(`it rests on more than ${AXIOMS_MAX} axioms`);
    return found;
  }

  /** Records the axioms of constants that are now declared. */
  note(names: readonly Name[], found: ReadonlySet<Name>): void {
    const sorted = [...found].sort((a, b) => a - b);
    const key = sorted.join(' ');
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = new Set(sorted);
      this.#sets.set(key, set);
    }
    for (const name of names) this.#of.set(name, set);
  }

  of(name: Name): readonly Name[] {
    return [...(this.#of.get(name) ?? [])];
  }
}

/** Returns the distinct constants that terms mention. A literal mentions the constants that it stands for. */
export function mentioned(
  terms: Terms,
  literals: LiteralConstants,
  parts: readonly Expr[],
  seen = new PairMemory(),
): ReadonlySet<Name> {
  const names = new Set<Name>();
  seen.clear();
  const waiting: Expr[] = [...parts];
  for (let expr = waiting.pop(); expr !== undefined; expr = waiting.pop()) {
    switch (terms.kind(expr)) {
      case CONSTANT:
        names.add(terms.name(expr));
        continue;
      case NATURAL:
        for (const name of literals.natural) names.add(name);
        continue;
      case STRING:
        for (const name of literals.string) names.add(name);
        continue;
    }
    if (seen.get(expr, 0) === 1) continue;
    seen.set(expr, 0, 1);
    switch (terms.kind(expr)) {
      case APPLICATION:
        waiting.push(terms.fn(expr), terms.argument(expr));
        break;
      case LAMBDA:
      case FORALL:
        waiting.push(terms.binderType(expr), terms.body(expr));
        break;
      case LET:
        waiting.push(terms.binderType(expr), terms.letValue(expr), terms.letBody(expr));
        break;
      case PROJECTION:
        names.add(terms.name(expr));
        waiting.push(terms.projected(expr));
    }
  }
  return names;
}
