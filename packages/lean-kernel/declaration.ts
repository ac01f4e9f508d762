/**
 * The kernel's input, the same for an export file and a compiled module: declarations over interned names, levels and
 * expressions. They are the records of lean4export 3.1 with resolved indices.
 */
import { UNREAD_VALUE } from './environment.ts';
import type { Expr } from './expr.ts';
import type { Name } from './name.ts';

export interface ConstantHead {
  readonly name: Name;
  readonly levelParams: readonly Name[];
  readonly type: Expr;
}

/** How eagerly a definition is unfolded. Steers the search for an equality, never what is equal. */
export type ReducibilityHint = 'opaque' | 'abbrev' | { readonly regular: number };
export type Safety = 'safe' | 'unsafe' | 'partial';

/** Type formers and constructors carry their own counts; the kernel computes them again and compares. */
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

/** As the source claims it; the kernel derives its own, compares, and uses its own. */
export interface RecursorRecord extends ConstantHead {
  readonly parameters: number;
  readonly indices: number;
  readonly motives: number;
  readonly minors: number;
  readonly rules: readonly RecursorRule[];
  readonly k: boolean;
}

export type QuotientRole = 'type' | 'ctor' | 'lift' | 'ind';

/** One mutual block with its constructors and claimed recursors (none where the source has none). */
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

/** All names that a declaration gives, recursors as the source claims them. */
export function declaredNames(declaration: Declaration): Name[] {
  if (declaration.kind !== 'inductive') return [declaration.name];
  return [...declaration.types, ...declaration.constructors, ...declaration.recursors].map(({ name }) => name);
}

/** The terms of a declaration that are there. Recursors are derived, so what their claims mention does not count. */
export function declaredTerms(declaration: Declaration): Expr[] {
  if (declaration.kind === 'inductive')
    return [...declaration.types, ...declaration.constructors].map(({ type }) => type);
  return 'value' in declaration && declaration.value !== UNREAD_VALUE
    ? [declaration.type, declaration.value]
    : [declaration.type];
}
