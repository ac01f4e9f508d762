/**
 * Types of the terms that are explored: inductive types applied to such types, functions between them, and one type of elements
 * (`α`) without any property. A statement that is polymorphic in several types is explored with all of them the same.
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

/** The type in Lean's syntax; `written` gives the text of an inductive type's name. */
export function typeText(type: GroundType, written: (name: string) => string, isArgument = false): string {
  const { head, args } = type;
  if (head === ELEMENT) return ELEMENT;
  if (args.length === 0) return written(head);
  const text =
    head === ARROW
      ? `${typeText(args[0]!, written, true)} → ${typeText(args[1]!, written)}`
      : [written(head), ...args.map((its) => typeText(its, written, true))].join(' ');
  return isArgument ? `(${text})` : text;
}
