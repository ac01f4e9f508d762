/**
 * Finds the library theorems that a script names. Names are resolved as in STP: by the opened namespaces, not by
 * elaboration.
 */
import { nameParts, openedNamespaces, tokenize } from '@stp/lean-text';

export type PremiseResolver = (header: string, script: string) => string[];

/**
 * `names` are fully qualified. A word `a.b.c` counts as the longest of `a.b.c`, `a.b`, `a` that is a known name,
 * directly or in an opened namespace, so `Nat.le_of_lt.trans` names `Nat.le_of_lt`. A local hypothesis with the same
 * name counts too.
 */
export function premiseResolver(names: ReadonlySet<string>): PremiseResolver {
  return (header, script) => {
    if (names.size === 0) return [];
    const namespaces = ['', ...openedNamespaces(header).map((name) => `${name}.`)];
    const found = new Set<string>();
    for (const token of tokenize(script)) {
      if (token.kind !== 'word') continue;
      const premise = resolveWord(nameParts(token.text), namespaces, names);
      if (premise !== null) found.add(premise);
    }
    return [...found].sort();
  };
}

function resolveWord(
  parts: readonly string[],
  namespaces: readonly string[],
  names: ReadonlySet<string>,
): string | null {
  const root = parts[0] === '_root_' ? parts.slice(1) : parts;
  for (let length = root.length; length > 0; length -= 1) {
    const name = root.slice(0, length).join('.');
    for (const namespace of namespaces) if (names.has(namespace + name)) return namespace + name;
  }
  return null;
}
