/**
 * Splits a statement, as far as its text shows, into binders, hypotheses and conclusion. Knows brackets, and `∀` and
 * `→` at the front of a type. It does not elaborate, so a `∀` inside a notation is not seen.
 */

import { statementPieces, type TextPiece, typeColon } from '@stp/lean-text';
import { displayStatement } from './prompts.ts';

export interface Binder {
  readonly kind: 'explicit' | 'implicit' | 'instance';
  /** Bound names, in order; an instance without a name has none. */
  readonly names: readonly string[];
  readonly type: string;
}

export interface Signature {
  /** Binders before the colon and those of `∀` right after it, in order. */
  readonly binders: readonly Binder[];
  /** The propositions before each `→` of the type, outside brackets. */
  readonly antecedents: readonly string[];
  readonly conclusion: string;
}

const KINDS: ReadonlyMap<string, Binder['kind']> = new Map([
  ['(', 'explicit'],
  ['{', 'implicit'],
  ['⦃', 'implicit'],
  ['[', 'instance'],
]);

/** Splits `theorem NAME BINDERS : TYPE`; null if the text has another form. */
export function readSignature(statement: string): Signature | null {
  const text = displayStatement(statement);
  const { pieces, balanced } = statementPieces(text);
  const colon = typeColon(pieces);
  if (!balanced || colon < 0) return null;
  const head = bracketedBinders(pieces.slice(0, colon));
  if (head === null) return null;
  const binders = [...head];
  let rest = pieces.slice(colon + 1);
  for (;;) {
    const start = rest.findIndex((piece) => piece.kind !== 'space');
    if (rest[start]?.text !== '∀') break;
    const comma = rest.findIndex((piece, index) => index > start && piece.text === ',' && piece.depth === 0);
    const bound = comma < 0 ? null : quantifiedBinders(rest.slice(start + 1, comma));
    if (bound === null) break;
    binders.push(...bound);
    rest = rest.slice(comma + 1);
  }
  const parts = splitAt(rest, '→');
  return { binders, antecedents: parts.slice(0, -1), conclusion: parts.at(-1)! };
}

/** Returns the trimmed texts between the pieces equal to `separator` outside brackets. */
export function splitAt(pieces: readonly TextPiece[], separator: string): string[] {
  const parts: string[] = [''];
  for (const piece of pieces) {
    if (piece.depth === 0 && piece.text === separator) parts.push('');
    else parts[parts.length - 1] += piece.text;
  }
  return parts.map((part) => part.trim());
}

/** Reads `(a b : T) {c : U} [D]`, each group in its brackets. */
function bracketedBinders(pieces: readonly TextPiece[]): Binder[] | null {
  const binders: Binder[] = [];
  for (let index = 0; index < pieces.length; index++) {
    const piece = pieces[index]!;
    if (piece.kind === 'space') continue;
    const kind = KINDS.get(piece.text);
    const end = pieces.findIndex((other, at) => at > index && other.depth === 0 && other.kind === 'other');
    if (kind === undefined || end < 0) return null;
    const binder = readBinder(pieces.slice(index + 1, end), kind, 1);
    if (binder === null) return null;
    binders.push(binder);
    index = end;
  }
  return binders;
}

/** Reads the binders between `∀` and its comma: `n m : T`, or groups in brackets; null for `∀ x < n` and names without a type. */
function quantifiedBinders(pieces: readonly TextPiece[]): Binder[] | null {
  const first = pieces.find((piece) => piece.kind !== 'space');
  if (first === undefined) return null;
  if (KINDS.has(first.text)) return bracketedBinders(pieces);
  const binder = readBinder(pieces, 'explicit', 0);
  return binder === null ? null : [binder];
}

/** Reads `names : type := default` without the default. */
function readBinder(pieces: readonly TextPiece[], kind: Binder['kind'], depth: number): Binder | null {
  const text = (from: number, to?: number): string =>
    pieces
      .slice(from, to)
      .map((piece) => piece.text)
      .join('')
      .trim();
  const colon = pieces.findIndex((piece) => piece.text === ':' && piece.depth === depth);
  if (colon < 0) return kind === 'instance' ? { kind, names: [], type: text(0) } : null;
  const names = pieces.slice(0, colon).filter((piece) => piece.kind !== 'space');
  if (names.some((piece) => piece.kind !== 'word' && piece.kind !== 'quoted' && piece.text !== '_')) return null;
  const assignment = pieces.findIndex((piece) => piece.kind === 'assign' && piece.depth === depth);
  const type = text(colon + 1, assignment < 0 ? undefined : assignment);
  return { kind, names: names.map((piece) => piece.text), type };
}
