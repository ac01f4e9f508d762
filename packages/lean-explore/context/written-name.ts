/**
 * Determines how a proof writes the name of a constant: as short as the header's open namespaces and the statement's
 * binders allow.
 */
import { openedNamespaces } from '@stp/lean-text';

export interface NameScope {
  /** Open namespaces, with dots. */
  readonly opened: readonly string[];
  /** Names of binders, which take precedence over constants. */
  readonly bound: ReadonlySet<string>;
  /** Whether there is a constant with this full name. */
  readonly has: (name: string) => boolean;
}

/**
 * Returns the namespaces that a header may open: `open A B` opens `B` and, if it exists, `A.B`. It exists if it
 * contains constants.
 */
export function openedBy(header: string): string[] {
  const opened: string[] = [];
  for (const name of openedNamespaces(header)) opened.push(name, ...opened.map((outer) => `${outer}.${name}`));
  return [...new Set(opened)];
}

export function writtenName(full: string, { opened, bound, has }: NameScope): string {
  const parts = full.split('.');
  for (let length = 1; length <= parts.length; length++) {
    const short = parts.slice(-length).join('.');
    if (bound.has(parts.at(-length)!)) continue;
    const meant = new Set([short, ...opened.map((namespace) => `${namespace}.${short}`)].filter(has));
    if (meant.size === 1 && meant.has(full)) return short;
  }
  return `_root_.${full}`;
}
