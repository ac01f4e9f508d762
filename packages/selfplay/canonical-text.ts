/**
 * A statement's text with its bound variables numbered, so that two statements that differ only in bound names have the
 * same text. Knows binders before the colon and of leading `∀`, and in terms the binders of quantifiers, `fun`, big
 * operators, `{x | …}` and `let`. A name with another binder (a pattern, `match`) stays as written.
 *
 * A variable's number is the number of variables in scope at its binder. A word becomes a number only within its
 * binder's scope, so statements with equal texts are consistent renamings of each other.
 */

import { CLOSERS, statementPieces, type TextPiece } from '@stp/lean-text';
import { displayStatement } from './prompts.ts';
import { readSignature } from './statement-signature.ts';

/** Bind names up to a `,`; the scope follows, up to the end of the bracket or the next `,` or `;`. */
const QUANTIFIERS: ReadonlySet<string> = new Set(['∀', '∃', '∑', '∏', '⋃', '⋂', '⨆', '⨅', '∫']);
/** Marks that belong to the quantifier directly before them. */
const QUANTIFIER_MARKS: ReadonlySet<string> = new Set(['!', 'ᶠ', 'ᵐ']);
const FUNCTIONS: ReadonlySet<string> = new Set(['fun', 'λ']);
const GROUP_OPENERS: ReadonlySet<string> = new Set(['(', '{', '⦃', '[']);
/** Words that can come between the variable of `{x … | p x}` and the rest of its restriction. */
const RESTRICTIONS: ReadonlySet<string> = new Set([':', '∈', '∉', '⊆', '<', '>', '≤', '≥', '≠', '|', '/']);
/** Longer texts are used as written, because the recursion goes one level deeper for every bracket. */
const PIECES_MAX = 4_000;

/** Numbers of the names bound at a position of a text, and the number of variables. */
interface Scope {
  readonly numbers: ReadonlyMap<string, number>;
  readonly bound: number;
}

const NOTHING_BOUND: Scope = { numbers: new Map(), bound: 0 };

/**
 * Returns the text of a statement without its name, with numbered variables, and white space reduced to single blanks
 * between words. Each binder binds one name, explicit and implicit binders are alike, and leading `∀` are binders
 * before the colon. None of this changes the claim.
 */
export function canonicalText(statement: string): string {
  const text = displayStatement(statement);
  const { pieces, balanced } = statementPieces(text);
  if (!balanced || pieces.length > PIECES_MAX) return text;
  const out: string[] = [];
  const signature = readSignature(statement);
  if (signature === null) {
    readTerm({ pieces, out }, 0, pieces.length, NOTHING_BOUND, false);
    return joined(out);
  }
  let scope = NOTHING_BOUND;
  for (const { kind, names, type } of signature.binders) {
    const tokens = read(type, scope);
    for (const name of names.length === 0 ? ['_'] : names) {
      if (kind === 'instance') out.push('[', ...tokens, ']');
      else out.push('(', numbered(scope), ':', ...tokens, ')');
      scope = bind(name, scope);
    }
  }
  out.push(':', ...read([...signature.antecedents, signature.conclusion].join(' → '), scope));
  return joined(out);
}

interface Reading {
  readonly pieces: readonly TextPiece[];
  readonly out: string[];
}

const numbered = ({ bound }: Scope): string => `#${bound}`;

function bind(name: string, { numbers, bound }: Scope): Scope {
  return { numbers: name === '_' ? numbers : new Map(numbers).set(name, bound), bound: bound + 1 };
}

function read(text: string, scope: Scope): string[] {
  const { pieces } = statementPieces(text);
  const out: string[] = [];
  readTerm({ pieces, out }, 0, pieces.length, scope, false);
  return out;
}

/**
 * Writes the pieces [from, to), which must contain whole brackets only.
 *
 * @param isBody whether the term is a binder's body, which ends before a `,` or `;` of the surrounding text
 * @returns the end position
 */
function readTerm(reading: Reading, from: number, to: number, scope: Scope, isBody: boolean): number {
  const { pieces, out } = reading;
  let at = from;
  while (at < to) {
    const { kind, text } = pieces[at]!;
    if (kind === 'space') out.push(' ');
    else if (kind === 'other' && isBody && (text === ',' || text === ';')) return at;
    else if (kind === 'other' && CLOSERS[text] !== undefined) {
      const close = closing(pieces, at, to);
      out.push(text);
      const inner = text === '{' ? setBuilder(reading, at + 1, close, scope) : null;
      readTerm(reading, inner?.at ?? at + 1, close, inner?.scope ?? scope, false);
      at = close;
      continue;
    } else if (QUANTIFIERS.has(text) || FUNCTIONS.has(text)) {
      const end = bodyStart(pieces, at, to);
      if (end !== null) {
        at = readTerm(reading, end.body, to, readBinders(reading, at, end.header, scope), true);
        continue;
      }
      out.push(text);
    } else if (text === 'let' || text === 'have') {
      const bound = readLet(reading, at, to, scope);
      if (bound !== null) return readTerm(reading, bound.at, to, bound.scope, isBody);
      out.push(text);
    } else out.push(kind === 'word' || kind === 'quoted' ? renamed(text, scope) : text);
    at++;
  }
  return to;
}

/** Returns the number of a name, or of the head of `xs.length`. */
function renamed(word: string, { numbers }: Scope): string {
  const [head, ...rest] = word.startsWith('«') ? [word] : word.split('.');
  const number = numbers.get(head!);
  return number === undefined ? word : [`#${number}`, ...rest].join('.');
}

/** Returns the index of the bracket that closes the one at `open`. */
function closing(pieces: readonly TextPiece[], open: number, to: number): number {
  return find(pieces, open + 1, to, ({ kind, depth }) => kind === 'other' && depth <= pieces[open]!.depth);
}

/** Returns the index of the first wanted piece in [from, to), or `to`. */
function find(pieces: readonly TextPiece[], from: number, to: number, isWanted: (piece: TextPiece) => boolean): number {
  for (let at = from; at < to; at++) if (isWanted(pieces[at]!)) return at;
  return to;
}

/**
 * Returns where the header of the quantifier or function at `at` ends and where its scope begins; null if it has no
 * header.
 */
function bodyStart(pieces: readonly TextPiece[], at: number, to: number): { header: number; body: number } | null {
  const { text, depth } = pieces[at]!;
  const isFunction = FUNCTIONS.has(text);
  for (let index = at + 1; index < to; index++) {
    const piece = pieces[index]!;
    if (piece.depth !== depth || piece.kind !== 'other') continue;
    if (isFunction ? piece.text === '↦' : piece.text === ',') return { header: index, body: index + 1 };
    if (isFunction && piece.text === '=' && pieces[index + 1]?.text === '>') return { header: index, body: index + 2 };
  }
  return null;
}

/** Writes a quantifier or `fun` once for each variable that it binds, and returns the variables' scope. */
function readBinders(reading: Reading, from: number, to: number, outer: Scope): Scope {
  const { pieces, out } = reading;
  const symbol = pieces[from]!.text;
  let at = from + 1;
  const opening = [FUNCTIONS.has(symbol) ? 'fun' : symbol];
  if (at < to && QUANTIFIER_MARKS.has(pieces[at]!.text)) opening.push(pieces[at++]!.text);
  let scope = outer;
  const write = (names: readonly string[], restriction: readonly string[]): void => {
    for (const name of names) {
      out.push(...opening, '(', numbered(scope), ...restriction, ')', ',');
      scope = bind(name, scope);
    }
  };
  let names: string[] = [];
  for (; at < to; at++) {
    const { kind, text } = pieces[at]!;
    if (kind === 'space') continue;
    if (isName(pieces[at]!)) {
      names.push(text);
      continue;
    }
    const close = GROUP_OPENERS.has(text) ? closing(pieces, at, to) : to;
    const group = close < to ? groupOf(pieces, at + 1, close) : null;
    if (group === null) break;
    write(names, []);
    names = [];
    write(group.names, termOf(reading, group.restriction, close, scope));
    at = close;
  }
  // The rest restricts the names before it (`: T`, `∈ s`, `> 0`), or is a pattern, whose bound names are not read.
  const restriction = termOf(reading, at, to, scope);
  if (names.length > 0) write(names, restriction);
  else if (restriction.length > 0) out.push(...opening, ...restriction, ',');
  return scope;
}

function termOf({ pieces }: Reading, from: number, to: number, scope: Scope): string[] {
  const out: string[] = [];
  readTerm({ pieces, out }, from, to, scope, false);
  return out;
}

const isName = ({ kind, text }: TextPiece): boolean =>
  text === '_' || kind === 'quoted' || (kind === 'word' && text !== 'in' && !text.includes('.'));

/** Reads `a b : T` within brackets; null if it is something else. */
function groupOf(
  pieces: readonly TextPiece[],
  from: number,
  to: number,
): { readonly names: string[]; readonly restriction: number } | null {
  const colon = find(pieces, from, to, ({ text, depth }) => text === ':' && depth === pieces[from]!.depth);
  const names = pieces.slice(from, colon).filter(({ kind }) => kind !== 'space');
  return names.length > 0 && names.every(isName) ? { names: names.map(({ text }) => text), restriction: colon } : null;
}

/**
 * Writes `x : T |` of `{x : T | p x}` or `{x // p x}` and returns where its scope begins; null if the bracket is
 * neither.
 */
function setBuilder(reading: Reading, from: number, to: number, scope: Scope): { at: number; scope: Scope } | null {
  const { pieces, out } = reading;
  const isSolid = ({ kind }: TextPiece): boolean => kind !== 'space';
  const name = find(pieces, from, to, isSolid);
  const next = find(pieces, name + 1, to, isSolid);
  if (next >= to || !isName(pieces[name]!) || !RESTRICTIONS.has(pieces[next]!.text)) return null;
  const depth = pieces[name]!.depth;
  for (let at = next; at < to; at++) {
    const isBar = pieces[at]!.text === '|';
    const isSlashes = pieces[at]!.text === '/' && pieces[at + 1]?.text === '/';
    if (pieces[at]!.depth !== depth || !(isBar || isSlashes)) continue;
    out.push(numbered(scope), ...termOf(reading, next, at, scope), isBar ? '|' : '//');
    return { at: at + (isBar ? 1 : 2), scope: bind(pieces[name]!.text, scope) };
  }
  return null;
}

/** Writes `let x := v;` and returns where the scope of `x` begins; null for other forms. */
function readLet(reading: Reading, from: number, to: number, scope: Scope): { at: number; scope: Scope } | null {
  const { pieces, out } = reading;
  const name = find(pieces, from + 1, to, ({ kind }) => kind !== 'space');
  const end = find(pieces, name, to, ({ text, depth }) => text === ';' && depth === pieces[from]!.depth);
  if (end >= to || !isName(pieces[name]!)) return null;
  out.push(pieces[from]!.text, ' ', numbered(scope), ...termOf(reading, name + 1, end, scope), ';');
  return { at: end + 1, scope: bind(pieces[name]!.text, scope) };
}

const ENDS_IN_WORD = /[\p{L}\p{N}_'!?₀-₉]$/u;
const BEGINS_WORD = /^[\p{L}\p{N}_'!?₀-₉#.]/u;

/** Joins the tokens, with white space only between two words. */
function joined(tokens: readonly string[]): string {
  let text = '';
  let isApart = false;
  for (const token of tokens) {
    if (token === ' ') {
      isApart = true;
      continue;
    }
    if (isApart && ENDS_IN_WORD.test(text.slice(-2)) && BEGINS_WORD.test(token)) text += ' ';
    text += token;
    isApart = false;
  }
  return text;
}
