/**
 * Finds what can mislead a reader of a theorem: declarations, instances and coercions of the same file on which its
 * statement depends, names that read like imported ones, hypotheses outside its text, and notation. The compiled module
 * gives the actual statement; the text is what a reader sees.
 */
import type { StatementBinder, StatementParts } from '@stp/lean-kernel';
import { nameParts, type Token } from '@stp/lean-text';

export interface Meaning {
  /**
   * Declarations that the statement mentions and that the file, or an imported neighbour, makes; includes instances and
   * coercions.
   */
  readonly declared: readonly string[];
  /** Declarations that read like imported ones: `N.False` like `False`. */
  readonly hides: readonly { readonly name: string; readonly hidden: string }[];
  /**
   * Hypotheses and variables from outside the theorem's text; unnamed ones are `[…]`. Null if they cannot be
   * determined.
   */
  readonly outside: readonly string[] | null;
  /** Notation and renamed names of the file in the theorem's text, which the compiled module does not show. */
  readonly notation: readonly string[];
}

const WORD = /^[\p{L}_][\p{L}\p{N}_'!?]*$/u;

/** `tokens` are those of the theorem's declaration, without comments; `notation` is that of the file. */
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

/**
 * Lean appends the module's name to the name of an anonymous instance, and a judged file's module has a random name.
 */
const withoutModule = (name: string): string => name.replace(/_stp[0-9a-f]{16}$/, '');

/** Returns the meaning as lines for people. */
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

/** A bound name, `_`, an anonymous instance (`null`), or the hypothesis of an arrow. */
type Bound = string | null | typeof ARROW;
const ARROW = Symbol('→');

interface StatementText {
  /** Names of the binders before the colon, in order. Null for an anonymous instance, `_` for an anonymous variable. */
  readonly binders: readonly (string | null)[];
  /** The binders of the type's text up to its first part without a binder; null if they cannot be determined. */
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

/** Returns null if the declaration does not consist of a keyword, a name and a signature. */
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

/** Returns the index of the bracket that closes the one at `at`, or the end. */
function closing(tokens: readonly Token[], at: number): number {
  let depth = 0;
  for (let index = at; index < tokens.length; index += 1) {
    if (OPENERS.has(tokens[index]!.text)) depth += 1;
    if (CLOSERS.has(tokens[index]!.text)) depth -= 1;
    if (depth === 0) return index;
  }
  return tokens.length;
}

/** Returns the names in a binder group: `(a b : T)`, `[inst : C]`, `[C]`. */
function groupNames(tokens: readonly Token[], open: number, end: number): (string | null)[] {
  const inside = tokens.slice(open + 1, end);
  const colon = inside.findIndex(({ text }) => text === ':');
  const before = colon < 0 ? inside : inside.slice(0, colon);
  const isNames = before.every(({ kind }) => kind === 'word');
  if (tokens[open]!.text === '[' && (colon < 0 || !isNames)) return [null];
  return isNames ? before.map(({ text }) => text) : [];
}

/**
 * Returns the index at which the proof begins: the first `:=` that does not belong to a `let` of the type, or `|`, or
 * `where`.
 */
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

/** After one of these, an arrow may not belong to the head of the type. */
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
      // `∀ᶠ x in l, p` and similar notations are not Lean's quantifiers.
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

/** Reads the binders of a `∀` from the index `start` after it, and returns the index after its comma. */
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
      // What follows is a type, or a condition on the names: `∀ x ∈ s, p` means `∀ x, x ∈ s → p`.
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

/** Returns the index after an arrow at `at`; null if there is none. `→+` and `→ₗ` are other arrows. */
function arrowEnd(tokens: readonly Token[], at: number): number | null {
  const isLong = tokens[at]?.text === '-' && tokens[at + 1]?.text === '>';
  if (!isLong && tokens[at]?.text !== '→') return null;
  const next = at + (isLong ? 2 : 1);
  return tokens[next]?.start === tokens[next - 1]!.end && tokens[next]!.text !== '(' ? null : next;
}

/** Returns the index after the next arrow outside brackets; -1 if there is none, null if its owner is unclear. */
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
 * Returns the type's binders that precede those written in the text. If the written binders fit at several positions,
 * those bound by the type's text are counted from the end, because a name alone does not tell who bound it.
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

/** Whether a binder is like `{α : Type}`, which states nothing. */
const isTypeVariable = ({ name, isSort }: StatementBinder): boolean =>
  isSort && name !== null && /^\p{L}[\d₀-₉']*$/u.test(name);
