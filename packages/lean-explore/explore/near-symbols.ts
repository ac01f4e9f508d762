/** The symbols of terms near a statement: its functions, instantiated at one element type, and constructors. */
import type { Name } from '@stp/lean-kernel';
import {
  ARROW,
  ELEMENT,
  ELEMENT_TYPE,
  type GroundType,
  instantiateType,
  NATURAL_TYPE,
  type TypeScheme,
  typeKey,
} from './ground-type.ts';
import type { SymbolReader, SymbolScheme, TermSymbol } from './symbol-schemes.ts';

/**
 * Returns the element type at which polymorphic functions are instantiated: that of the other functions' lists, so that
 * terms fit together. Numbers are preferred, since only they have known equality tests.
 */
function elementOf(schemes: readonly SymbolScheme[]): GroundType {
  const within = schemes.flatMap((scheme) =>
    scheme.variables === 0 || scheme.withEquality.size > 0
      ? [...scheme.slots.flatMap((slot) => (slot.kind === 'value' ? [slot.type] : [])), scheme.result]
          .filter((type) => 'head' in type && type.head !== ARROW && type.args.length > 0)
          .flatMap(leavesOf)
      : [],
  );
  if (within.length === 0) return ELEMENT_TYPE;
  const isAtNumbers = schemes.some(({ withEquality }) => withEquality.size > 0);
  return (isAtNumbers ? undefined : within.find((type) => type !== null && type.head !== 'Nat')) ?? NATURAL_TYPE;
}

/** Returns the types without arguments within a type; null for each type variable. */
function leavesOf(type: TypeScheme): (GroundType | null)[] {
  if ('variable' in type) return [null];
  return type.args.length === 0 ? [{ head: type.head, args: [] }] : type.args.flatMap(leavesOf);
}

/** Returns the functions, instantiated at one element type, and the constructors of their types. */
export function symbolsOf(functions: readonly Name[], reader: SymbolReader): TermSymbol[] {
  const symbols: TermSymbol[] = [];
  const schemes = functions.flatMap((name) => reader.scheme(name) ?? []);
  const element = elementOf(schemes);
  const add = (name: Name, types: readonly GroundType[], isConstructor: boolean): void => {
    const scheme = reader.scheme(name);
    if (scheme === null) return;
    const given = scheme.slots.flatMap((slot) => (slot.kind === 'value' ? [instantiateType(slot.type, types)] : []));
    const result = instantiateType(scheme.result, types);
    symbols.push({ name: reader.terms.names.print(name), scheme, types, arguments: given, result, isConstructor });
  };
  for (const scheme of schemes)
    add(
      scheme.name,
      Array.from({ length: scheme.variables }, () => element),
      false,
    );
  const types = new Map<string, GroundType>();
  for (const { arguments: given, result } of symbols)
    for (const type of [...given, result]) types.set(typeKey(type), type);
  for (const type of types.values()) {
    if (type.head === ELEMENT || type.head === ARROW) continue;
    for (const name of reader.inductive(type.head)?.constructors ?? []) add(name, type.args, true);
  }
  return symbols;
}
