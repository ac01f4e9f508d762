/**
 * Binds a theorem to a statement: a theorem proves the requested statement only if its type is the requested type and
 * every constant of that type has the same meaning. The comparison covers the theorem's type and, for each constant
 * that it mentions, the type, the value if it matters (definitions and opaque constants; proofs may differ), the
 * constructors, and recursively everything that these mention. The trusted export is read into the same tables, in
 * which equal terms have equal numbers.
 */
import { mentioned } from './axioms.ts';
import type { Declaration } from './declaration.ts';
import type { Expr, Terms } from './expr.ts';
import type { Name } from './name.ts';
import { type LiteralConstants, literalConstants } from './special/literal-constants.ts';

/** The parts of a declaration that give its constants their meaning: equal shapes mean equal meanings. */
interface Shape {
  readonly what: string;
  readonly terms: readonly Expr[];
}

/** `incomplete`: the trusted export lacks parts, so that the question cannot be decided. */
export interface Difference {
  readonly kind: 'different' | 'incomplete';
  readonly message: string;
}

export class Statements {
  readonly #terms: Terms;
  readonly #literals: LiteralConstants;
  readonly #constructors = new Map<Name, readonly Name[]>();
  readonly #shapes = new Map<Name, Shape>();

  constructor(terms: Terms) {
    this.#terms = terms;
    this.#literals = literalConstants(terms.names, (name) => this.#constructors.get(name) ?? null);
  }

  /** Records a declaration. Of several declarations with the same name the first counts, as in the kernel. */
  note(declaration: Declaration): void {
    if (declaration.kind === 'inductive')
      for (const { name, constructors } of declaration.types)
        if (!this.#shapes.has(name)) this.#constructors.set(name, constructors);
    const shape = shapeOf(declaration);
    for (const name of this.#names(declaration)) if (!this.#shapes.has(name)) this.#shapes.set(name, shape);
  }

  #names(declaration: Declaration): Name[] {
    if (declaration.kind !== 'inductive') return [declaration.name];
    const { types, constructors, recursors } = declaration;
    const { names } = this.#terms;
    // A source need not claim recursors.
    return [
      ...[...types, ...constructors, ...recursors].map(({ name }) => name),
      ...types.map(({ name }) => names.text(name, 'rec')),
    ];
  }

  /**
   * Returns why the theorem of `candidate`, which the kernel accepted, is not shown to be the statement of `trusted`;
   * null if it is.
   */
  static difference(candidate: Statements, trusted: Statements, name: Name): Difference | null {
    const terms = trusted.#terms;
    const print = (of: Name): string => terms.names.print(of);
    const asked = trusted.#shapes.get(name);
    const given = candidate.#shapes.get(name);
    const different = (message: string): Difference => ({ kind: 'different', message });
    if (asked === undefined) return different(`the trusted export does not have ${print(name)}`);
    if (given === undefined) return different(`${print(name)} is not declared`);
    if (!given.what.startsWith('theorem ')) return different(`${print(name)} is no theorem`);
    // An unproved statement may be an axiom or an opaque constant.
    if (given.what.replace(/^\w+ /, '') !== asked.what.replace(/^\w+ /, '') || given.terms[0] !== asked.terms[0])
      return different(`${print(name)} states something else than the trusted export`);
    const seen = new Set<Name>();
    const waiting = [...mentioned(terms, trusted.#literals, [asked.terms[0]!])];
    let missing: Name | null = null;
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      const [its, other] = [trusted.#shapes.get(next), candidate.#shapes.get(next)];
      // Only one of the two functions that make strings needs to exist. The kernel found every other constant.
      if (its === undefined && other === undefined) continue;
      if (its === undefined) missing = next;
      else if (other === undefined || other.what !== its.what || !isSame(other.terms, its.terms))
        return different(`${print(next)}, which ${print(name)} rests on, differs from the trusted export`);
      else waiting.push(...mentioned(terms, trusted.#literals, its.terms));
    }
    if (missing === null) return null;
    return {
      kind: 'incomplete',
      message: `the trusted export does not have ${print(missing)}, which ${print(name)} rests on; export it with all that it mentions`,
    };
  }
}

function shapeOf(declaration: Declaration): Shape {
  if (declaration.kind === 'inductive') {
    const { types, constructors } = declaration;
    const heads = types.map(
      (type) => `${type.name}/${type.parameters}/${type.levelParams.join(',')}/${type.constructors.join(',')}`,
    );
    return {
      what: `inductive ${heads.join(' ')}`,
      terms: [...types, ...constructors.toSorted((a, b) => a.name - b.name)].map(({ type }) => type),
    };
  }
  const { kind, levelParams, type } = declaration;
  const isMeaning = kind === 'definition' || kind === 'opaque';
  return { what: `${kind} ${levelParams.join(',')}`, terms: isMeaning ? [type, declaration.value] : [type] };
}

function isSame(some: readonly Expr[], others: readonly Expr[]): boolean {
  return some.length === others.length && some.every((term, at) => term === others[at]);
}
