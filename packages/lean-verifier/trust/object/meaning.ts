/**
 * Finds what can deceive a reader of a theorem: declarations, instances and coercions of its own file that its statement rests
 * on, names that read like imported ones, hypotheses that stand outside its text, and notation. The compiled object says what
 * the statement is; the text says what a reader sees.
 */
import type { StatementBinder, StatementParts } from '@stp/lean-kernel';
import { nameParts, type Token } from '@stp/lean-text';

export interface Meaning {
  /** Declarations of the file, or of a neighbour that it imports, which the statement mentions, instances and coercions among them. */
  readonly declared: readonly string[];
  /** Declarations that read like something imported: `N.False` like `False`. */
  readonly hides: readonly { readonly name: string; readonly hidden: string }[];
  /** Hypotheses and variables from outside the theorem's text; one without a name is `[…]`. Null: nobody can tell. */
  readonly outside: readonly string[] | null;
  /** Notation and names of the file that its text has, and that the object does not show. */
  readonly notation: readonly string[];
}

const WORD = /^[\p{L}_][\p{L}\p{N}_'!?]*$/u;

/** `tokens`: of the theorem's declaration, without comments. `notation`: of the file. */
export function meaningOf(
  { own, hiding, binders }: StatementParts,
  tokens: readonly Token[],
  notation: ReadonlySet<string>,
): Meaning | null {
  const statement = readStatement(tokens);
  const outside = statement === null ? null : outsideBinders(binders, statement);
  const text = tokens.map((token, at) => (tokens[at - 1]?.end === token.start ? '' : ' ') + token.text).join('');
  const words = new Set(tokens.flatMap(({ kind, text: word }) => (kind === 'word' ? nameParts(word) : [])));
  const used = [...notation].filter((piece) => (WORD.test(piece) ? words.has(piece) : text.includes(piece)));
  const isPlain = own.length + hiding.length + used.length === 0 && outside?.length === 0;
  return isPlain ? null : { declared: own, hides: hiding, outside, notation: used };
}

/** Lean ends the name of an instance that has none with the module's; a judged file's module has a random one. */
const withoutModule = (name: string): string => name.replace(/_stp[0-9a-f]{16}$/, '');

/** The meaning in lines for people. */
export function meaningLines({ declared, hides, outside, notation }: Meaning): string[] {
  const list = (names: readonly string[]): string =>
    names.slice(0, SHOWN_MAX).map(withoutModule).join(', ') +
    (names.length > SHOWN_MAX ? ` and ${names.length - SHOWN_MAX} more` : '');
  return [
    ...(declared.length === 0 ? [] : [`its statement rests on declarations of the checked files: ${list(declared)}`]),
    ...hides.slice(0, SHOWN_MAX).map(({ name, hidden }) => `${name} reads like the imported ${hidden}`),
    ...(outside === null ? ['nobody can tell which hypotheses its text does not show'] : []),
    ...(outside === null || outside.length === 0
      ? []
      : [`hypotheses and variables outside its text: ${list(outside)}`]),
    ...(notation.length === 0 ? [] : [`notation of the file in its text: ${list(notation)}`]),
  ];
}
const SHOWN_MAX = 8;

/** A name, `_`, an instance without a name (`null`), or what an arrow binds. */
type Bound = string | null | typeof ARROW;
const ARROW = Symbol('→');

interface StatementText {
  /** Names of the binders before the colon, in order; null for an instance without a name, `_` for one without. */
  readonly binders: readonly (string | null)[];
  /** The binders of the type's text before its first part that binds nothing; null if nobody can tell. */
  readonly head: readonly Bound[] | null;
}

const OPENERS = new Map([
  ['(', ')'],
  ['{', '}'],
  ['[', ']'],
  ['⦃', '⦄'],
  ['⟨', '⟩'],
]);
const CLOSERS: ReadonlySet<string> = new Set(OPENERS.values());
const KEYWORDS: ReadonlySet<string> = new Set(['theorem', 'lemma', 'axiom', 'example', 'def', 'instance', 'abbrev']);
const BINDING: ReadonlySet<string> = new Set(['let', 'have', 'letI', 'haveI', 'let_fun']);

/** Null where the declaration is not a keyword, a name and a signature. */
function readStatement(tokens: readonly Token[]): StatementText | null {
  let at = tokens.findIndex(({ kind, text }) => kind === 'word' && KEYWORDS.has(text)) + 1;
  if (at === 0) return null;
  const keyword = tokens[at - 1]!.text;
  if (keyword !== 'example') at += 1;
  if (tokens[at]?.text === '.' && tokens[at + 1]?.text === '{') at = closing(tokens, at + 1) + 1;
  const binders: (string | null)[] = [];
  for (; at < tokens.length && tokens[at]!.text !== ':'; at += 1) {
    const { kind, text } = tokens[at]!;
    if (OPENERS.has(text)) {
      const end = closing(tokens, at);
      binders.push(...groupNames(tokens, at, end));
      at = end;
    } else if (kind === 'word') binders.push(text);
    else return null;
  }
  if (at >= tokens.length) return null;
  return { binders, head: headOf(tokens.slice(at + 1, statementEnd(tokens, at + 1))) };
}

/** Place of the bracket that closes the one at `at`, or the end. */
function closing(tokens: readonly Token[], at: number): number {
  let depth = 0;
  for (let index = at; index < tokens.length; index += 1) {
    if (OPENERS.has(tokens[index]!.text)) depth += 1;
    if (CLOSERS.has(tokens[index]!.text)) depth -= 1;
    if (depth === 0) return index;
  }
  return tokens.length;
}

/** `(a b : T)`, `[inst : C]`, `[C]`. */
function groupNames(tokens: readonly Token[], open: number, end: number): (string | null)[] {
  const inside = tokens.slice(open + 1, end);
  const colon = inside.findIndex(({ text }) => text === ':');
  const before = colon < 0 ? inside : inside.slice(0, colon);
  const isNames = before.every(({ kind }) => kind === 'word');
  if (tokens[open]!.text === '[' && (colon < 0 || !isNames)) return [null];
  return isNames ? before.map(({ text }) => text) : [];
}

/** Where the proof begins: at the first `:=` that no `let` of the type asks for, at `|` or at `where`. */
function statementEnd(tokens: readonly Token[], start: number): number {
  let depth = 0;
  let bindings = 0;
  for (let at = start; at < tokens.length; at += 1) {
    const { text, end } = tokens[at]!;
    if (OPENERS.has(text)) depth += 1;
    if (CLOSERS.has(text)) depth -= 1;
    if (depth > 0) continue;
    if (BINDING.has(text)) bindings += 1;
    if (text === ':' && tokens[at + 1]?.text === '=' && tokens[at + 1]!.start === end) {
      if (bindings === 0) return at;
      bindings -= 1;
    }
    if (text === 'where' || text === '|') return at;
  }
  return tokens.length;
}

/** Behind one of these an arrow may belong to something else than the type's head. */
const SWALLOWS: ReadonlySet<string> = new Set(
  ', ; ↔ $ | ∃ λ ↦ ⇒ fun let have show suffices match if then else by do from'.split(' '),
);

function headOf(tokens: readonly Token[]): Bound[] | null {
  const head: Bound[] = [];
  let at = 0;
  while (at < tokens.length) {
    const { text } = tokens[at]!;
    if (text === '∀' || text === 'forall' || text === 'Π') {
      const names = quantified(tokens, at + 1);
      // `∀ᶠ x in l, p` and its kin are no quantifiers of Lean's own.
      if (names === null) return head;
      head.push(...names.bound);
      at = names.end;
      continue;
    }
    const end = OPENERS.has(text) ? closing(tokens, at) : at;
    if (end > at && end === tokens.length - 1 && text === '(') return joined(head, headOf(tokens.slice(at + 1, end)));
    const arrow = arrowEnd(tokens, end + 1);
    const isGroup = text === '[' || (text !== '⟨' && tokens.slice(at, end).some((token) => token.text === ':'));
    const names = end > at && arrow !== null && isGroup ? groupNames(tokens, at, end) : [];
    if (names.length > 0) {
      head.push(...names);
      at = arrow!;
      continue;
    }
    const next = nextArrow(tokens, at);
    if (next === null) return null;
    if (next < 0) return head;
    head.push(ARROW);
    at = next;
  }
  return head;
}

const joined = (head: readonly Bound[], rest: readonly Bound[] | null): Bound[] | null =>
  rest === null ? null : [...head, ...rest];

/** Reads the binders of `∀`, and the place behind its comma. `start`: behind it. */
function quantified(tokens: readonly Token[], start: number): { bound: Bound[]; end: number } | null {
  const bound: Bound[] = [];
  for (let at = start; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    if (text === ',') return bound.length === 0 ? null : { bound, end: at + 1 };
    if (OPENERS.has(text)) {
      const end = closing(tokens, at);
      bound.push(...groupNames(tokens, at, end));
      at = end;
    } else if (kind === 'word') bound.push(text);
    else if (bound.length === 0) return null;
    else {
      // A type, or a condition on the names: `∀ x ∈ s, p` is `∀ x, x ∈ s → p`.
      const comma = outerComma(tokens, at);
      return comma < 0 ? null : { bound: text === ':' ? bound : [...bound, ARROW], end: comma + 1 };
    }
  }
  return null;
}

function outerComma(tokens: readonly Token[], start: number): number {
  for (let at = start; at < tokens.length; at += 1) {
    if (OPENERS.has(tokens[at]!.text)) at = closing(tokens, at);
    else if (tokens[at]!.text === ',') return at;
  }
  return -1;
}

/** The place behind an arrow at `at`; null where none stands there. `→+` and `→ₗ` are other arrows. */
function arrowEnd(tokens: readonly Token[], at: number): number | null {
  const isLong = tokens[at]?.text === '-' && tokens[at + 1]?.text === '>';
  if (!isLong && tokens[at]?.text !== '→') return null;
  const next = at + (isLong ? 2 : 1);
  return tokens[next]?.start === tokens[next - 1]!.end && tokens[next]!.text !== '(' ? null : next;
}

/** The place behind the next arrow outside brackets; -1 where there is none, null where nobody can tell whose it is. */
function nextArrow(tokens: readonly Token[], start: number): number | null {
  let isSwallowed = false;
  for (let at = start; at < tokens.length; at += 1) {
    if (OPENERS.has(tokens[at]!.text)) at = closing(tokens, at);
    else if (SWALLOWS.has(tokens[at]!.text)) isSwallowed = true;
    const end = arrowEnd(tokens, at);
    if (end !== null) return isSwallowed ? null : end;
  }
  return -1;
}

/**
 * Binders of the type that come before those which the text writes. Where the text's own binders could stand at several
 * places, those that the type's text binds are counted from the end; a name alone says nothing about who bound it.
 */
function outsideBinders(binders: readonly StatementBinder[], { binders: own, head }: StatementText): string[] | null {
  const isHere = (bound: readonly Bound[], from: number): boolean =>
    bound.every((name, index) => binders[from + index] !== undefined && isBoundBy(name, binders[from + index]!));
  const starts = Array.from({ length: Math.max(binders.length - own.length + 1, 0) }, (_, from) => from).filter(
    (from) => isHere(own, from),
  );
  const counted = head === null ? -1 : binders.length - own.length - head.length;
  const isCounted = head !== null && starts.includes(counted) && isHere(head, counted + own.length);
  const from = starts.length === 1 ? starts[0]! : isCounted ? counted : null;
  if (from === null) return null;
  return binders
    .slice(0, from)
    .filter((binder) => !isTypeVariable(binder))
    .map(({ name }) => name ?? '[…]');
}

function isBoundBy(bound: Bound, { name, kind }: StatementBinder): boolean {
  if (bound === ARROW) return name === null && kind !== 'instance';
  if (bound === null) return name === null && kind === 'instance';
  return bound === '_' ? name === null : name === nameParts(bound).join('.');
}

/** `{α : Type}`, which says nothing by itself. */
const isTypeVariable = ({ name, isSort }: StatementBinder): boolean =>
  isSort && name !== null && /^\p{L}[\d₀-₉']*$/u.test(name);
