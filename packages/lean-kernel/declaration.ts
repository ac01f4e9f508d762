/**
 * The kernel's input, which is the same for an export file and a compiled module: declarations over interned names,
 * levels and expressions. The records are those of lean4export 3.1, with indices resolved.
 */
import { UNREAD_VALUE } from './environment.ts';
import type { Expr } from './expr.ts';
import type { Name } from './name.ts';

export interface ConstantHead {
  readonly name: Name;
  readonly levelParams: readonly Name[];
  readonly type: Expr;
}

/** How eagerly a definition is unfolded. It affects the search for an equality, but never the result. */
export type ReducibilityHint = 'opaque' | 'abbrev' | { readonly regular: number };
export type Safety = 'safe' | 'unsafe' | 'partial';

/** Inductive types and constructors state their own counts, which the kernel computes again and compares. */
export interface InductiveTypeRecord extends ConstantHead {
  readonly parameters: number;
  readonly indices: number;
  /** In the order of their definition. */
  readonly constructors: readonly Name[];
}

export interface ConstructorRecord extends ConstantHead {
  readonly inductive: Name;
  readonly index: number;
  readonly parameters: number;
  readonly fields: number;
}

export interface RecursorRule {
  readonly constructor: Name;
  readonly fields: number;
  /** A closed term over parameters, motives, minor premises and fields. */
  readonly value: Expr;
}

/** A recursor as claimed by the source. The kernel derives its own recursor, compares the two, and uses its own. */
export interface RecursorRecord extends ConstantHead {
  readonly parameters: number;
  readonly indices: number;
  readonly motives: number;
  readonly minors: number;
  readonly rules: readonly RecursorRule[];
  readonly k: boolean;
}

export type QuotientRole = 'type' | 'ctor' | 'lift' | 'ind';

/** One mutual block with its constructors and claimed recursors (none if the source has none). */
export interface InductiveDeclaration {
  readonly kind: 'inductive';
  readonly isUnsafe: boolean;
  readonly types: readonly InductiveTypeRecord[];
  readonly constructors: readonly ConstructorRecord[];
  readonly recursors: readonly RecursorRecord[];
}

export type Declaration =
  | ({ readonly kind: 'axiom'; readonly isUnsafe: boolean } & ConstantHead)
  | ({
      readonly kind: 'definition';
      readonly value: Expr;
      readonly hint: ReducibilityHint;
      readonly safety: Safety;
    } & ConstantHead)
  | ({ readonly kind: 'theorem'; readonly value: Expr } & ConstantHead)
  | ({ readonly kind: 'opaque'; readonly value: Expr; readonly isUnsafe: boolean } & ConstantHead)
  | ({ readonly kind: 'quotient'; readonly role: QuotientRole } & ConstantHead)
  | InductiveDeclaration;

/** Returns all names that a declaration defines, including recursors that the source claims. */
export function declaredNames(declaration: Declaration): Name[] {
  if (declaration.kind !== 'inductive') return [declaration.name];
  return [...declaration.types, ...declaration.constructors, ...declaration.recursors].map(({ name }) => name);
}

/** Returns the terms of a declaration. Claimed recursors are omitted, because the kernel derives its own. */
export function declaredTerms(declaration: Declaration): Expr[] {
  if (declaration.kind === 'inductive')
    return [...declaration.types, ...declaration.constructors].map(({ type }) => type);
  return 'value' in declaration && declaration.value !== UNREAD_VALUE
    ? [declaration.type, declaration.value]
    : [declaration.type];
}
