/**
 * The name of a theorem in `theorem NAME BINDERS : TYPE`, and how it affects the text after it. Lean reads that text in
 * the namespace that the name opens, and compares columns. Both must be preserved when the theorem is stated under our
 * name.
 */
import { nameParts, tokenize } from '@stp/lean-text';

export interface TheoremName {
  /** `theorem ` with all white space around it. */
  readonly opening: string;
  readonly name: string;
  /** Result of `theoremNamespace`. */
  readonly namespace: string;
  /** Offset of the end of the name. */
  readonly end: number;
}

const OPENING = /^\s*(?:theorem|lemma)\s+/u;

/** Returns the name, or why there is none and the offset at which it is expected. */
export function readTheoremName(text: string): TheoremName | { readonly missing: string; readonly offset: number } {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return { missing: 'does not start with `theorem NAME`', offset: 0 };
  const name = tokenize(text.slice(opening.length))[0];
  if (name?.kind !== 'word' || name.start !== 0)
    return { missing: 'has no name after `theorem`', offset: opening.length };
  return { opening, name: name.text, namespace: theoremNamespace(name.text), end: opening.length + name.end };
}

/** Returns `Foo.Bar` for `Foo.Bar.t`. Empty for a name with one component, and for a name with `_root_`. */
export function theoremNamespace(name: string): string {
  return nameParts(name).includes('_root_') ? '' : cutLastPart(name).slice(0, -1);
}

/** Returns `Foo.` for `Foo.t`. The last component may be quoted. */
export function cutLastPart(name: string): string {
  return name.endsWith('»') ? name.slice(0, name.lastIndexOf('«')) : name.slice(0, name.lastIndexOf('.') + 1);
}

/** Returns the column at the end of a text that begins in column 0, in code points, as Lean counts. */
export function columnBehind(text: string): number {
  return [...text.slice(text.lastIndexOf('\n') + 1)].length;
}

/** Matches words after which Lean compares columns, and `:=`, which begins a field. */
const LAYOUT =
  /(?<![\p{L}\p{N}_.])(?:by|do|calc|conv|match|let|letI|have|haveI|show|suffices|fun|λ|with|where)(?![\p{L}\p{N}_])|:=/u;

/**
 * Adapts a text that followed a name ending in this column, so that it can follow another name. If Lean may compare
 * columns of the first line with those of other lines, the text begins on a line of its own; universe parameters stay
 * with the name.
 *
 *     theorem t.{u} : (by exact Eq          .{u}
 *                       1) 1        →                  : (by exact Eq
 *                                                        1) 1
 */
export function keepColumns(signature: string, column: number): string {
  const [first, ...others] = signature.split('\n');
  if (others.length === 0 || !LAYOUT.test(first!)) return signature;
  const universes = universeParameters(signature);
  const rest = signature.slice(universes.length);
  return `${universes}\n${' '.repeat(column + columnBehind(universes))}${rest}`;
}

/** Returns `.{u, v}` at the beginning of a text, or an empty text. */
export function universeParameters(text: string): string {
  if (!text.startsWith('.{')) return '';
  const close = tokenize(text).find((token) => token.text === '}');
  return close === undefined ? '' : text.slice(0, close.end);
}
