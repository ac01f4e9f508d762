/**
 * The types of explored terms: inductive types applied to such types, functions between them, and one element type
 * (`α`) without any property. A function with several type variables is explored with all of them equal; its equations
 * are then generalised (`general-types.ts`).
 */

/** The element type. During evaluation its values are numbers. */
export const ELEMENT = 'α';
export const ARROW = '→';

export interface GroundType {
  /** Full name of an inductive type, `ELEMENT`, or `ARROW`, whose arguments are domain and codomain. */
  readonly head: string;
  readonly args: readonly GroundType[];
}

export const ELEMENT_TYPE: GroundType = { head: ELEMENT, args: [] };
export const NATURAL_TYPE: GroundType = { head: 'Nat', args: [] };

export function typeKey({ head, args }: GroundType): string {
  return args.length === 0 ? head : `${head}(${args.map(typeKey).join(',')})`;
}

/** A type that may contain type variables, numbered from 0. */
export type TypeScheme =
  | { readonly variable: number }
  | { readonly head: string; readonly args: readonly TypeScheme[] };

export function instantiateType(scheme: TypeScheme, types: readonly GroundType[]): GroundType {
  if ('variable' in scheme) return types[scheme.variable]!;
  return { head: scheme.head, args: scheme.args.map((its) => instantiateType(its, types)) };
}
