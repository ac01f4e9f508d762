/**
 * Types of the terms that are explored: inductive types applied to such types, functions between them, and one type of elements
 * (`α`) without any property. What is polymorphic in several types is explored with all of them the same, and stated of any
 * (`general-types.ts`).
 */

/** The type of elements. Values of it are numbers where a term is evaluated. */
export const ELEMENT = 'α';
export const ARROW = '→';

export interface GroundType {
  /** Full name of an inductive type, `ELEMENT`, or `ARROW`, whose arguments are a domain and a codomain. */
  readonly head: string;
  readonly args: readonly GroundType[];
}

export const ELEMENT_TYPE: GroundType = { head: ELEMENT, args: [] };
export const NATURAL_TYPE: GroundType = { head: 'Nat', args: [] };

export function typeKey({ head, args }: GroundType): string {
  return args.length === 0 ? head : `${head}(${args.map(typeKey).join(',')})`;
}

/** A type with variables, numbered from 0, in the places of types. */
export type TypeScheme =
  | { readonly variable: number }
  | { readonly head: string; readonly args: readonly TypeScheme[] };

export function instantiateType(scheme: TypeScheme, types: readonly GroundType[]): GroundType {
  if ('variable' in scheme) return types[scheme.variable]!;
  return { head: scheme.head, args: scheme.args.map((its) => instantiateType(its, types)) };
}
