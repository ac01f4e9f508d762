/**
 * Describes the binders of a statement's type, and how a proof may use each. The second kernel determines their types.
 */
import {
  ANONYMOUS,
  type Checker,
  CONSTANT,
  type CompiledBinder,
  type CompiledConstant,
  type CompiledLibrary,
  displayName,
  type Expr,
  FORALL,
  headOf,
  type Kernel,
  LAMBDA,
  type Name,
  type NameTable,
  SORT,
  type Terms,
} from '@stp/lean-kernel';
import { mentionsInOrder } from './mentions.ts';
import type { ContextBinder, ContextInductive } from './statement-context.ts';

/** Component of generated names, such as `a._@.Module._hyg.7`. */
const HYGIENIC = '_@';

interface Looked {
  readonly kind: 'type' | 'function' | 'hypothesis' | 'variable';
  readonly typeHead: Name | null;
  /** Head of the type after unfolding as far as possible. */
  readonly unfoldedHead: Name | null;
}

export class BinderReader {
  readonly #terms: Terms;
  readonly #kernel: Kernel;
  readonly #library: CompiledLibrary;

  constructor(terms: Terms, kernel: Kernel, library: CompiledLibrary) {
    this.#terms = terms;
    this.#kernel = kernel;
    this.#library = library;
  }

  /**
   * `stated` is a theorem whose proof abstracts the binders before the colon. Returns null if their types cannot be
   * determined.
   */
  read(stated: CompiledConstant, written: readonly CompiledBinder[]): readonly ContextBinder[] | null {
    const introduced = stated.kind === 'theorem' ? lambdas(this.#terms, stated.value) : 0;
    const looked = this.#kernel.ask((checker) => this.#look(checker, stated.type, written.length));
    if (looked === null) return null;
    const names = written.map(({ name }) => plainName(this.#terms.names, name));
    return written.map(({ kind }, index): ContextBinder => {
      const { kind: ofType, typeHead, unfoldedHead } = looked[index]!;
      return {
        name: names[index]!,
        kind: kind === 'instance' ? 'instance' : ofType,
        isExplicit: kind === 'explicit',
        isIntroduced: index < introduced,
        isShadowed: names[index] !== null && names.lastIndexOf(names[index]!) > index,
        typeHead: typeHead === null ? null : displayName(this.#terms.names, typeHead),
        inductive: unfoldedHead === null ? null : this.#inductive(unfoldedHead),
      };
    });
  }

  #look(checker: Checker, type: Expr, count: number): Looked[] {
    const terms = this.#terms;
    const locals: Expr[] = [];
    const found: Looked[] = [];
    for (let at = type; found.length < count; at = terms.body(at)) {
      const its = checker.substitution.instantiate(terms.binderType(at), locals);
      found.push(this.#lookAt(checker, its));
      locals.push(checker.local(its));
    }
    return found;
  }

  #lookAt(checker: Checker, type: Expr): Looked {
    const terms = this.#terms;
    const whole = checker.reduction.whnf(type);
    const heads = { typeHead: constantHead(terms, type), unfoldedHead: constantHead(terms, whole) };
    if (checker.inference.isProposition(type)) return { kind: 'hypothesis', ...heads };
    if (terms.kind(whole) === SORT) return { kind: 'type', ...heads };
    return { kind: terms.kind(whole) === FORALL ? 'function' : 'variable', ...heads };
  }

  #inductive(name: Name): ContextInductive | null {
    const { names } = this.#terms;
    const type = this.#library.constant(name);
    if (type?.kind !== 'inductive') return null;
    return {
      name: displayName(names, name),
      isRecursive: type.constructors.some((its) => holds(this.#terms, this.#library, its, type.block)),
      constructors: type.constructors.map((its) => String(names.last(its))),
    };
  }
}

/** Whether a constructor has an argument of one of the types. */
function holds(terms: Terms, library: CompiledLibrary, name: Name, block: readonly Name[]): boolean {
  const its = library.constant(name);
  if (its?.kind !== 'constructor') return false;
  const types = new Set(block);
  let at = its.type;
  for (let field = 0; terms.kind(at) === FORALL; field++, at = terms.body(at))
    if (field >= its.parameters && mentions(terms, terms.binderType(at), types)) return true;
  return false;
}

function mentions(terms: Terms, expr: Expr, names: ReadonlySet<Name>): boolean {
  return mentionsInOrder(terms, [expr]).some((name) => names.has(name));
}

function constantHead(terms: Terms, expr: Expr): Name | null {
  const head = headOf(terms, expr);
  return terms.kind(head) === CONSTANT ? terms.name(head) : null;
}

function lambdas(terms: Terms, value: Expr): number {
  let count = 0;
  for (let at = value; terms.kind(at) === LAMBDA; at = terms.body(at)) count++;
  return count;
}

/** Returns null for a generated name. */
function plainName(names: NameTable, name: Name): string | null {
  const shown = displayName(names, name);
  return name === ANONYMOUS || shown.split('.').includes(HYGIENIC) || shown.includes(`«${HYGIENIC}»`) ? null : shown;
}
