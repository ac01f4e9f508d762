/**
 * Returns the names after `open` and `namespace` in a header, for resolving premises: `open Nat List` gives both names.
 */
export function openedNamespaces(header: string): string[] {
  const names: string[] = [];
  for (const match of header.matchAll(/^\s*(?:open|namespace)\s+(?:scoped\s+)?([^\n(]+)/gmu)) {
    names.push(...match[1]!.split(/\s+/).filter((name) => name !== '' && name !== 'in' && name !== 'hiding'));
  }
  return names;
}
