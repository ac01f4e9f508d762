/** The declared constants, by name. The kernel accepted each of them, or it was given as trusted. */
import type { ConstantHead, QuotientRole, RecursorRule } from './declaration.ts';
import type { Expr } from './expr.ts';
import type { Name } from './name.ts';
import { Decline, Rejection } from './verdict.ts';

export interface DefinitionConstant extends ConstantHead {
  /** Theorems unfold like definitions, last of all. Opaque constants never do. */
  readonly kind: 'definition' | 'theorem' | 'opaque';
  /** `UNREAD_VALUE` where a trusted source has the proof and nothing has unfolded it yet; `Environment.valueOf` reads it. */
  readonly value: Expr;
  /** Definitional height: of two heads the higher is unfolded first. */
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
  /** The type whose values it takes apart. */
  readonly inductive: Name;
}

export type Constant =
  | ({ readonly kind: 'axiom' } & ConstantHead)
  | ({ readonly kind: 'quotient'; readonly role: QuotientRole } & ConstantHead)
  | DefinitionConstant
  | InductiveConstant
  | ConstructorConstant
  | RecursorConstant;

/** Stands for the proof of a trusted theorem that is not read yet; no expression has this number. */
export const UNREAD_VALUE = -1 as Expr;

/** A constant, or a theorem's proof, is needed that is trusted and not read yet. The kernel reads it and begins anew. */
export class Unread extends Error {
  readonly constant: Name;

  constructor(constant: Name) {
    super('a constant is not read yet');
    this.constant = constant;
  }
}

export class Environment {
  readonly #constants = new Map<Name, Constant>();
  /** Constants of a declaration that is being checked; they hide nothing and are gone when the check ends. */
  readonly #provisional = new Map<Name, Constant>();
  readonly #declined = new Set<Name>();
  readonly #print: (name: Name) => string;
  readonly #isReadable: (name: Name) => boolean;
  /** Names that were read from the trusted source, or are being read. */
  readonly #read = new Set<Name>();
  /** Whether what a trusted source has is being declared. */
  isTrusting = false;
  /** Names that no declaration may take, although nothing stands there. */
  readonly #reserved = new Set<Name>();

  /** `isReadable`: whether a trusted source has the constant, for one that is not here. */
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

  /** The constant; what rests on something declined can be declined only. */
  get(name: Name): Constant {
    const constant = this.find(name);
    if (constant !== undefined) return constant;
    if (this.#declined.has(name)) throw new Decline(`it rests on ${this.#print(name)}, which was declined`);
    throw new Rejection('constant', `there is no constant ${this.#print(name)}`);
  }

  has(name: Name): boolean {
    return this.find(name) !== undefined;
  }

  /** The constructors of a declared inductive type, or null. Reads nothing. */
  constructorsOf(name: Name): readonly Name[] | null {
    const constant = this.#constants.get(name);
    return constant?.kind === 'inductive' ? constant.constructors : null;
  }

  valueOf(constant: DefinitionConstant): Expr {
    if (constant.value === UNREAD_VALUE) throw new Unread(constant.name);
    return constant.value;
  }

  /** A trusted theorem whose proof is not read yet, or null. */
  withoutProof(name: Name): DefinitionConstant | null {
    const constant = this.#constants.get(name);
    return constant?.kind === 'theorem' && constant.value === UNREAD_VALUE ? constant : null;
  }

  /**
   * Rejects a name that is taken: by a constant, by a trusted source, also where what that has cannot be used here, or by a
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

  /** Whether a trusted source is still to be asked for the name. */
  isUnread(name: Name): boolean {
    return !this.#constants.has(name) && !this.#read.has(name) && this.#isReadable(name);
  }

  markRead(name: Name): void {
    this.#read.add(name);
  }

  /** False where the constant is there, or was declined before. */
  markDeclined(name: Name): boolean {
    if (this.#constants.has(name) || this.#declined.has(name)) return false;
    this.#declined.add(name);
    return true;
  }

  /** Takes away constants that were declared, or declined. What a trusted source has is not to be among them. */
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

/** One constructor, no indices, not recursive: a value is determined by its projections. */
export function structureConstructor(environment: Environment, name: Name): ConstructorConstant | null {
  const inductive = environment.find(name);
  if (inductive?.kind !== 'inductive' || inductive.isRecursive || inductive.indices !== 0) return null;
  if (inductive.constructors.length !== 1) return null;
  const maker = environment.find(inductive.constructors[0]!);
  return maker?.kind === 'constructor' ? maker : null;
}
