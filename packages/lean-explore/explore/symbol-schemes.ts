/**
 * Reads the functions and constructors of terms, with first-order types, from compiled modules. Omits constants with
 * other types: dependent types, predicates, arguments that are proofs, and classes other than equality tests.
 */
import {
  argumentsOf,
  type BinderKind,
  type Checker,
  CONSTANT,
  type CompiledLibrary,
  type Expr,
  FORALL,
  headOf,
  type Kernel,
  LOCAL,
  type Name,
  SORT,
  type Terms,
} from '@stp/lean-kernel';
import { ARROW, type GroundType, type TypeScheme } from './ground-type.ts';

/** Classes with known instances for numbers (`evaluator.ts`). A type with such a class is explored as numbers. */
export const EQUALITY_CLASSES: ReadonlySet<string> = new Set(['DecidableEq', 'BEq']);

export type SchemeSlot =
  | { readonly kind: 'type'; readonly variable: number }
  | { readonly kind: 'instance'; readonly name: string; readonly variable: number }
  | { readonly kind: 'value'; readonly type: TypeScheme };

export interface SymbolScheme {
  readonly name: Name;
  readonly levels: number;
  readonly slots: readonly SchemeSlot[];
  readonly result: TypeScheme;
  readonly variables: number;
  /** Type variables that need an equality test. */
  readonly withEquality: ReadonlySet<number>;
}

/** A function or constructor at types without type variables. */
export interface TermSymbol {
  /** Full name. */
  readonly name: string;
  readonly scheme: SymbolScheme;
  /** The types assigned to the scheme's variables. */
  readonly types: readonly GroundType[];
  readonly arguments: readonly GroundType[];
  readonly result: GroundType;
  readonly isConstructor: boolean;
}

export interface InductiveType {
  readonly parameters: number;
  readonly constructors: readonly Name[];
}

export class SymbolReader {
  readonly terms: Terms;
  readonly library: CompiledLibrary;
  readonly #kernel: Kernel;
  readonly #schemes = new Map<Name, SymbolScheme | null>();

  constructor(terms: Terms, kernel: Kernel, library: CompiledLibrary) {
    this.terms = terms;
    this.library = library;
    this.#kernel = kernel;
  }

  /** Returns null for a missing constant, or one without a first-order type. */
  scheme(name: Name): SymbolScheme | null {
    let known = this.#schemes.get(name);
    if (known === undefined) {
      known = this.#read(name);
      this.#schemes.set(name, known);
    }
    return known;
  }

  /** Returns null for a type that has indices or is not inductive. */
  inductive(name: string): InductiveType | null {
    const constant = this.library.constant(this.terms.names.of(name));
    return constant?.kind === 'inductive' && constant.indices === 0 ? constant : null;
  }

  #read(name: Name): SymbolScheme | null {
    if (!this.library.has(name)) return null;
    const constant = this.library.constant(name)!;
    const kinds = this.library.binders(name).map(({ kind }) => kind);
    const read = this.#kernel.ask((checker) => new SchemeReader(this.terms, checker, kinds).read(constant.type));
    return read === null ? null : { name, levels: constant.levelParams.length, ...read };
  }
}

/** Reads one type, opening one binder after another. */
class SchemeReader {
  readonly #terms: Terms;
  readonly #checker: Checker;
  readonly #kinds: readonly BinderKind[];
  readonly #variables = new Map<Expr, number>();

  constructor(terms: Terms, checker: Checker, kinds: readonly BinderKind[]) {
    this.#terms = terms;
    this.#checker = checker;
    this.#kinds = kinds;
  }

  read(type: Expr): Omit<SymbolScheme, 'name' | 'levels'> | null {
    const [terms, checker] = [this.#terms, this.#checker];
    const locals: Expr[] = [];
    const slots: SchemeSlot[] = [];
    const withEquality = new Set<number>();
    let at = type;
    for (; terms.kind(at) === FORALL; at = terms.body(at)) {
      const its = checker.substitution.instantiate(terms.binderType(at), locals);
      const local = checker.local(its);
      const slot = this.#slot(its, local, this.#kinds[slots.length] ?? 'explicit');
      if (slot === null) return null;
      if (slot.kind === 'instance') withEquality.add(slot.variable);
      slots.push(slot);
      locals.push(local);
    }
    const result = this.#type(checker.substitution.instantiate(at, locals));
    return result === null ? null : { slots, result, variables: this.#variables.size, withEquality };
  }

  #slot(type: Expr, local: Expr, kind: BinderKind): SchemeSlot | null {
    const [terms, checker] = [this.#terms, this.#checker];
    if (kind === 'instance') {
      const [head, given] = [headOf(terms, type), argumentsOf(terms, type)];
      const name = terms.kind(head) === CONSTANT ? terms.names.print(terms.name(head)) : '';
      const variable = given.length === 1 ? this.#variables.get(given[0]!) : undefined;
      return variable !== undefined && EQUALITY_CLASSES.has(name) ? { kind, name, variable } : null;
    }
    const whole = checker.reduction.whnf(type);
    if (terms.kind(whole) === SORT) {
      // An explicit type argument would have to be written in terms.
      if (kind === 'explicit' || terms.level(whole) === terms.levels.zero) return null;
      const variable = this.#variables.size;
      this.#variables.set(local, variable);
      return { kind: 'type', variable };
    }
    if (kind !== 'explicit' || checker.inference.isProposition(type)) return null;
    const its = this.#type(type);
    return its === null ? null : { kind: 'value', type: its };
  }

  #type(expr: Expr): TypeScheme | null {
    return readType(this.#terms, this.#checker, expr, this.#variables);
  }
}

/**
 * Reads a type made of inductive types, functions between such types, and type variables (by their locals); null for
 * any other type.
 */
export function readType(
  terms: Terms,
  checker: Checker,
  expr: Expr,
  variables: ReadonlyMap<Expr, number>,
): TypeScheme | null {
  const compound = (head: string, parts: readonly Expr[]): TypeScheme | null => {
    const args = parts.map((part) => readType(terms, checker, part, variables));
    return args.some((its) => its === null) ? null : { head, args: args as TypeScheme[] };
  };
  const whole = checker.reduction.whnf(expr);
  if (terms.kind(whole) === LOCAL) {
    const variable = variables.get(whole);
    return variable === undefined ? null : { variable };
  }
  if (terms.kind(whole) === FORALL)
    return terms.looseBound(terms.body(whole)) > 0
      ? null
      : compound(ARROW, [terms.binderType(whole), terms.body(whole)]);
  const head = headOf(terms, whole);
  if (terms.kind(head) !== CONSTANT) return null;
  return compound(terms.names.print(terms.name(head)), argumentsOf(terms, whole));
}
