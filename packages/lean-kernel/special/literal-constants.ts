/**
 * The constants that literals stand for. A number stands for `Nat.zero` under successors; a string for its maker applied to a
 * list of characters, each `Char.ofNat` of a number. Whoever follows what a term mentions (axioms, statements, modules) follows
 * these like constants that the term names.
 */
import type { Name, NameTable } from '../name.ts';
import { type KnownNames, knownNames } from './names.ts';

export interface LiteralConstants {
  readonly natural: readonly Name[];
  /** Both makers of strings where it is open which one counts; one of them may be absent. */
  readonly string: readonly Name[];
}

/** `constructorsOf` gives the constructors of a declared inductive type; null where the caller knows no such type. */
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

/** Returns whether a string is its one constructor applied to a list, as in older versions of Lean, whatever else is declared. */
export function isMadeByConstructor(known: KnownNames, constructorsOfString: readonly Name[] | null): boolean {
  return constructorsOfString?.length === 1 && constructorsOfString[0] === known.stringMk;
}
