/**
 * The constants that literals stand for. A number stands for successors of `Nat.zero`. A string stands for a maker
 * function applied to a list of characters, each `Char.ofNat` of a number. Code that follows what a term mentions
 * (axioms, statements, modules) follows these like constants named in the term.
 */
import type { Name, NameTable } from '../name.ts';
import { type KnownNames, knownNames } from './names.ts';

export interface LiteralConstants {
  readonly natural: readonly Name[];
  /** Both functions that may make strings, while it is undecided which one does; one of them may be absent. */
  readonly string: readonly Name[];
}

/** `constructorsOf` returns the constructors of a declared inductive type; null if the caller knows no such type. */
export function literalConstants(
  names: NameTable,
  constructorsOf: (name: Name) => readonly Name[] | null,
): LiteralConstants {
  const known = knownNames(names);
  return {
    natural: [known.nat],
    get string() {
      const makers = isMadeByConstructor(known, constructorsOf(known.string))
        ? [known.stringMk]
        : [known.stringOfList, known.stringMk];
      return [known.string, known.charOfNat, known.list, ...makers];
    },
  };
}

/** Whether `String` has a single constructor, applied to a list, as in older versions of Lean. */
export function isMadeByConstructor(known: KnownNames, constructorsOfString: readonly Name[] | null): boolean {
  return constructorsOfString?.length === 1 && constructorsOfString[0] === known.stringMk;
}
