/**
 * Finds the most general types at which an equation is well typed, by unification (Hindley–Milner inference without
 * `let`). Terms are explored at one element type, or at numbers, but an equation about `append` holds for lists of any
 * type.
 */
import { ELEMENT, type GroundType, type TypeScheme } from './ground-type.ts';
import type { SymbolScheme, TermSymbol } from './symbol-schemes.ts';
import type { Equation, Term } from './terms.ts';

/** A term with the types of its parts; type variables are numbered as in `GeneralEquation.types`. */
export interface TypedTerm {
  readonly term: Term;
  readonly type: TypeScheme;
  readonly parts: readonly TypedTerm[];
}

export interface GeneralEquation {
  /** The left and right side, preceded by those of the condition. */
  readonly sides: readonly TypedTerm[];
  /** Returns the type of a variable of the terms, by its key. */
  variableType(key: string): TypeScheme;
}

/**
 * Returns an equation with general types. Type variables are numbered from 0 in no particular order; one that needs an
 * equality test keeps the type at which it was explored.
 */
export function generalised(equation: Equation): GeneralEquation {
  const inference = new Inference();
  const sides = [...(equation.condition ? [equation.condition] : []), equation].flatMap(({ left, right }) => {
    const [first, second] = [inference.term(left), inference.term(right)];
    inference.unify(first.type, second.type);
    return [first, second];
  });
  inference.fixTested();
  const resolved = ({ term, type, parts }: TypedTerm): TypedTerm => ({
    term,
    type: inference.resolved(type),
    parts: parts.map(resolved),
  });
  return {
    sides: sides.map(resolved),
    variableType: (key) => inference.resolved(inference.variables.get(key)!),
  };
}

const schemeOf = ({ head, args }: GroundType): TypeScheme => ({ head, args: args.map(schemeOf) });

class Inference {
  readonly variables = new Map<string, TypeScheme>();
  /** For each type variable the type at which it was explored; `#bound` has the type to which it is bound. */
  readonly #ground: GroundType[] = [];
  readonly #bound: (TypeScheme | undefined)[] = [];
  readonly #tested: TypeScheme[] = [];

  term(term: Term): TypedTerm {
    const { form, key } = term;
    if ('variable' in form) {
      const type = this.variables.get(key) ?? this.#fresh(form.variable.type);
      this.variables.set(key, type);
      return { term, type, parts: [] };
    }
    const parts = form.args.map((part) => this.term(part));
    const { given, result } = this.#instance(form.symbol);
    for (const [index, part] of parts.entries()) this.unify(part.type, given[index]!);
    return { term, type: result, parts };
  }

  unify(one: TypeScheme, other: TypeScheme): void {
    const [a, b] = [this.#followed(one), this.#followed(other)];
    if ('variable' in a && 'variable' in b && a.variable === b.variable) return;
    if ('variable' in a) this.#bound[a.variable] = b;
    else if ('variable' in b) this.#bound[b.variable] = a;
    // Terms are well typed at their explored types, so the heads agree.
    else for (const [index, its] of a.args.entries()) this.unify(its, b.args[index]!);
  }

  fixTested(): void {
    for (const type of this.#tested) this.#fix(type);
  }

  resolved(type: TypeScheme): TypeScheme {
    const at = this.#followed(type);
    return 'variable' in at ? at : { head: at.head, args: at.args.map((its) => this.resolved(its)) };
  }

  #fix(type: TypeScheme): void {
    const at = this.#followed(type);
    if ('variable' in at) {
      const ground = this.#ground[at.variable]!;
      if (ground.head !== ELEMENT) this.#bound[at.variable] = schemeOf(ground);
    } else for (const its of at.args) this.#fix(its);
  }

  #fresh(ground: GroundType): TypeScheme {
    return { variable: this.#ground.push(ground) - 1 };
  }

  #instance({ scheme, types }: TermSymbol): { given: TypeScheme[]; result: TypeScheme } {
    const fresh = types.map((type) => this.#fresh(type));
    for (const variable of scheme.withEquality) this.#tested.push(fresh[variable]!);
    const at = (type: TypeScheme): TypeScheme =>
      'variable' in type ? fresh[type.variable]! : { head: type.head, args: type.args.map(at) };
    return { given: valueTypes(scheme).map(at), result: at(scheme.result) };
  }

  #followed(type: TypeScheme): TypeScheme {
    let at = type;
    while ('variable' in at) {
      const next = this.#bound[at.variable];
      if (next === undefined) return at;
      at = next;
    }
    return at;
  }
}

const valueTypes = ({ slots }: SymbolScheme): TypeScheme[] =>
  slots.flatMap((slot) => (slot.kind === 'value' ? [slot.type] : []));
