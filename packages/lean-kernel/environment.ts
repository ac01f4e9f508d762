/** The declared constants by name. The kernel has accepted each of them, or it is trusted. */
import type { ConstantHead, QuotientRole, RecursorRule } from './declaration.ts';
import type { Expr } from './expr.ts';
import type { Name } from './name.ts';
import { Decline, Rejection } from './verdict.ts';

export interface DefinitionConstant extends ConstantHead {
  /** Theorems unfold like definitions, but last. Opaque constants never unfold. */
  readonly kind: 'definition' | 'theorem' | 'opaque';
  /**
   * `UNREAD_VALUE` if a trusted source has the proof and nothing has unfolded it yet; `Environment.valueOf` reads it.
   */
  readonly value: Expr;
  /** Definitional height. Of two heads the higher one is unfolded first. */
  readonly height: number;
}

export interface InductiveConstant extends ConstantHead {
  readonly kind: 'inductive';
  readonly parameters: number;
  readonly indices: number;
  readonly constructors: readonly Name[];
  /** The types of its mutual block. */
  readonly block: readonly Name[];
  readonly isRecursive: boolean;
}

export interface ConstructorConstant extends ConstantHead {
  readonly kind: 'constructor';
  readonly inductive: Name;
  readonly index: number;
  readonly parameters: number;
  readonly fields: number;
}

export interface RecursorConstant extends ConstantHead {
  readonly kind: 'recursor';
  readonly parameters: number;
  readonly indices: number;
  readonly motives: number;
  readonly minors: number;
  readonly rules: readonly RecursorRule[];
  readonly k: boolean;
  /** The type whose values it eliminates. */
  readonly inductive: Name;
}

export type Constant =
  | ({ readonly kind: 'axiom' } & ConstantHead)
  | ({ readonly kind: 'quotient'; readonly role: QuotientRole } & ConstantHead)
  | DefinitionConstant
  | InductiveConstant
  | ConstructorConstant
  | RecursorConstant;

/** Placeholder for the proof of a trusted theorem that has not been read. No expression has this number. */
export const UNREAD_VALUE = -1 as Expr;

/**
 * Thrown if a check needs a trusted constant, or a trusted theorem's proof, that has not been read. The kernel reads it
 * and restarts the check.
 */
export class Unread extends Error {
  readonly constant: Name;

  constructor(constant: Name) {
    super('a constant is not read yet');
    this.constant = constant;
  }
}

export class Environment {
  readonly #constants = new Map<Name, Constant>();
  /** Constants of a declaration during its check. They hide no others, and are removed when the check ends. */
  readonly #provisional = new Map<Name, Constant>();
  readonly #declined = new Set<Name>();
  readonly #print: (name: Name) => string;
  readonly #isReadable: (name: Name) => boolean;
  /** Names that were read from the trusted source, or are being read. */
  readonly #read = new Set<Name>();
  /** Whether a declaration of the trusted source is being added. */
  isTrusting = false;
  /** Names that no declaration may use, although no constant has them. */
  readonly #reserved = new Set<Name>();

  /** `isReadable`: whether a trusted source has the constant, for a name that is not declared here. */
  constructor(print: (name: Name) => string, isReadable: (name: Name) => boolean = () => false) {
    this.#print = print;
    this.#isReadable = isReadable;
  }

  get size(): number {
    return this.#constants.size;
  }

  find(name: Name): Constant | undefined {
    const found = this.#constants.get(name) ?? this.#provisional.get(name);
    if (found === undefined && this.isUnread(name)) throw new Unread(name);
    return found;
  }

  /** Returns the constant. Throws `Decline` if it was declined: what depends on it can only be declined. */
  get(name: Name): Constant {
    const constant = this.find(name);
    if (constant !== undefined) return constant;
    if (this.#declined.has(name)) throw new Decline(`it rests on ${this.#print(name)}, which was declined`);
    throw new Rejection('constant', `there is no constant ${this.#print(name)}`);
  }

  has(name: Name): boolean {
    return this.find(name) !== undefined;
  }

  /** Returns the constructors of a declared inductive type, or null. Does not read the trusted source. */
  constructorsOf(name: Name): readonly Name[] | null {
    const constant = this.#constants.get(name);
    return constant?.kind === 'inductive' ? constant.constructors : null;
  }

  valueOf(constant: DefinitionConstant): Expr {
    if (constant.value === UNREAD_VALUE) throw new Unread(constant.name);
    return constant.value;
  }

  /** Returns a trusted theorem whose proof has not been read, or null. */
  withoutProof(name: Name): DefinitionConstant | null {
    const constant = this.#constants.get(name);
    return constant?.kind === 'theorem' && constant.value === UNREAD_VALUE ? constant : null;
  }

  /**
   * Rejects a name that is taken by a constant, by a trusted source (even if its constant cannot be used here), or by a
   * declaration without a verdict.
   */
  requireFree(name: Name): void {
    const isTaken = this.has(name) || (!this.isTrusting && (this.#isReadable(name) || this.#declined.has(name)));
    if (!this.isTrusting && this.#reserved.has(name))
      throw new Rejection(
        'name',
        `${this.#print(name)} would change what is there already: imports or literals mention it`,
      );
    if (isTaken) throw new Rejection('name', `${this.#print(name)} is declared already`);
  }

  reserve(name: Name): void {
    this.#reserved.add(name);
  }

  release(name: Name): void {
    this.#reserved.delete(name);
  }

  declare(constant: Constant): void {
    this.#constants.set(constant.name, constant);
  }

  declareProvisionally(constant: Constant): void {
    this.#provisional.set(constant.name, constant);
  }

  dropProvisional(): void {
    this.#provisional.clear();
  }

  /** Whether the name must still be looked up in a trusted source. */
  isUnread(name: Name): boolean {
    return !this.#constants.has(name) && !this.#read.has(name) && this.#isReadable(name);
  }

  markRead(name: Name): void {
    this.#read.add(name);
  }

  /** Returns false if the constant exists, or was declined before. */
  markDeclined(name: Name): boolean {
    if (this.#constants.has(name) || this.#declined.has(name)) return false;
    this.#declined.add(name);
    return true;
  }

  /** Removes constants that were declared or declined. They must not come from a trusted source. */
  remove(names: Iterable<Name>): void {
    for (const name of names) {
      this.#constants.delete(name);
      this.#declined.delete(name);
    }
  }

  constants(): IterableIterator<Constant> {
    return this.#constants.values();
  }
}

/**
 * Returns the constructor of a structure: a non-recursive type with one constructor and no indices, whose values are
 * determined by their projections.
 */
export function structureConstructor(environment: Environment, name: Name): ConstructorConstant | null {
  const inductive = environment.find(name);
  if (inductive?.kind !== 'inductive' || inductive.isRecursive || inductive.indices !== 0) return null;
  if (inductive.constructors.length !== 1) return null;
  const maker = environment.find(inductive.constructors[0]!);
  return maker?.kind === 'constructor' ? maker : null;
}
