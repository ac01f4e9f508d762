/** Finds, by its name, what a constant of a checked module was made for. */
import type { Name, NameTable } from '../name.ts';
import { isDerivedPart, publicName } from './names.ts';
import type { CheckedConstant } from './report.ts';

export interface Owners {
  readonly names: NameTable;
  /** Indices of the requested theorems. */
  readonly asked: ReadonlyMap<Name, number>;
  /** Whether the module of statements has the same constant. */
  readonly isGiven: (name: Name) => boolean;
  readonly isImported: (name: Name) => boolean;
}

/**
 * Returns the owner of a constant by its name, which may be private: the index of the requested theorem whose name is a
 * prefix of it, the header above the statements (`given`), a given or imported constant about which Lean derives facts
 * on demand (`imported`), or null.
 *
 * Examples, if `t` is requested with index 0: `t.match_1` → 0, `_private.M.0.t.go` → 0, `List.map.eq_1` → `imported`,
 * `helper` → null.
 */
export function ownerOf(name: Name, { names, asked, isGiven, isImported }: Owners): CheckedConstant['madeFor'] {
  const own = publicName(names, name);
  for (let at = own; at !== 0; at = names.prefix(at)) {
    const theorem = asked.get(at);
    if (theorem !== undefined) return theorem;
  }
  if (isGiven(name)) return 'given';
  const last = names.last(own);
  const isDerived = typeof last === 'string' && isDerivedPart(last);
  for (let at = names.prefix(own); isDerived && at !== 0; at = names.prefix(at)) {
    if (isImported(at) || isGiven(at)) return 'imported';
    const between = names.last(at);
    if (typeof between !== 'string' || !isDerivedPart(between)) break;
  }
  return null;
}
