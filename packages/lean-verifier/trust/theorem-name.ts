/**
 * The name of a theorem in `theorem NAME BINDERS : TYPE`, and what it means to the text behind it. Lean reads that text in the
 * namespace that the name opens, and it reads columns: both must stay when the theorem is stated under a name of ours.
 */
import { nameParts, tokenize } from '@stp/lean-text';

export interface TheoremName {
  /** `theorem ` with all white space around it. */
  readonly opening: string;
  readonly name: string;
  /** As `theoremNamespace`. */
  readonly namespace: string;
  /** Offset behind the name. */
  readonly end: number;
}

const OPENING = /^\s*(?:theorem|lemma)\s+/u;

/** Why there is no name, and where it should stand; or the name. */
export function readTheoremName(text: string): TheoremName | { readonly missing: string; readonly offset: number } {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return { missing: 'does not start with `theorem NAME`', offset: 0 };
  const name = tokenize(text.slice(opening.length))[0];
  if (name?.kind !== 'word' || name.start !== 0)
    return { missing: 'has no name after `theorem`', offset: opening.length };
  return { opening, name: name.text, namespace: theoremNamespace(name.text), end: opening.length + name.end };
}

/** `Foo.Bar` of `Foo.Bar.t`. Empty for a name of one part, and for one with `_root_`. */
export function theoremNamespace(name: string): string {
  return nameParts(name).includes('_root_') ? '' : cutLastPart(name).slice(0, -1);
}

/** `Foo.` of `Foo.t`; the last part may be a quoted one. */
export function cutLastPart(name: string): string {
  return name.endsWith('»') ? name.slice(0, name.lastIndexOf('«')) : name.slice(0, name.lastIndexOf('.') + 1);
}

/** The column behind a text that begins in column 0, in characters, as Lean counts. */
export function columnBehind(text: string): number {
  return [...text.slice(text.lastIndexOf('\n') + 1)].length;
}

/** Words after which Lean compares columns, and `:=`, which begins a field. */
const LAYOUT =
  /(?<![\p{L}\p{N}_.])(?:by|do|calc|conv|match|let|letI|have|haveI|show|suffices|fun|λ|with|where)(?![\p{L}\p{N}_])|:=/u;

/**
 * A text that stood behind a name which ended in this column, so that it can stand behind another name. Where Lean may compare
 * columns of the first line and of others, it begins a line of its own, and universe parameters stay with the name.
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

/** `.{u, v}` at the beginning of a text; empty where there is none. */
export function universeParameters(text: string): string {
  if (!text.startsWith('.{')) return '';
  const close = tokenize(text).find((token) => token.text === '}');
  return close === undefined ? '' : text.slice(0, close.end);
}
