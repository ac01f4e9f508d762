/** Compares constants of a checked module with those of the module that was compiled from the statements alone. */
import { Budget, DEFAULT_LIMITS } from '../budget.ts';
import type { Terms } from '../expr.ts';
import type { Name } from '../name.ts';
import { Substitution } from '../substitution.ts';
import { explained } from './compiled-file.ts';
import type { CompiledConstant, CompiledModule } from './module-data.ts';
import { publicName } from './names.ts';
import type { AskedReport } from './report.ts';
import { isSameConstant, isSameStatement } from './same-statement.ts';

export class StatedConstants {
  readonly #terms: Terms;
  readonly #path: string;
  readonly #module: CompiledModule;
  /** Returns the constant of the checked module, or null. */
  readonly #own: (name: Name) => CompiledConstant | null;
  readonly #indices: ReadonlyMap<Name, number>;
  /** Names of the module of statements by their public names. */
  readonly #names: ReadonlyMap<Name, Name>;
  readonly #given = new Map<Name, boolean>();

  constructor(
    terms: Terms,
    { path, module }: { readonly path: string; readonly module: CompiledModule },
    own: (name: Name) => CompiledConstant | null,
  ) {
    this.#terms = terms;
    this.#path = path;
    this.#module = module;
    this.#own = own;
    this.#indices = new Map(module.names.map((name, index) => [name, index]));
    this.#names = new Map(module.names.map((name) => [publicName(terms.names, name), name]));
  }

  /** Whether the module of statements has the same constant, with the same type and value. */
  isGiven(name: Name): boolean {
    const known = this.#given.get(name);
    if (known !== undefined) return known;
    const theirs = this.#names.get(publicName(this.#terms.names, name));
    const isSame = theirs !== undefined && this.#isSame(name, theirs);
    this.#given.set(name, isSame);
    return isSame;
  }

  /** Compares the type of a constant of the checked module with the statement that has the name `stated`. */
  compareStatement(constant: CompiledConstant, stated: Name): AskedReport['statement'] {
    return explained(this.#path, () => {
      const theirs = this.#constant(stated);
      if (theirs === null || (theirs.kind !== 'theorem' && theirs.kind !== 'axiom')) return 'unknown';
      const mine = { constant, own: this.#own };
      const other = { constant: theirs, own: (name: Name) => this.#constant(name) };
      return isSameStatement(this.#terms, this.#substitution(), mine, other) ? 'same' : 'other';
    });
  }

  #isSame(name: Name, theirs: Name): boolean {
    return explained(this.#path, () => {
      const other = { name: theirs, own: (its: Name) => this.#constant(its) };
      return isSameConstant(this.#terms, this.#substitution(), { name, own: this.#own }, other);
    });
  }

  #substitution(): Substitution {
    return new Substitution(this.#terms, new Budget(DEFAULT_LIMITS));
  }

  #constant(name: Name): CompiledConstant | null {
    const index = this.#indices.get(name);
    return index === undefined ? null : this.#module.constant(index);
  }
}
