/**
 * What can deceive a reader of a theorem: declarations, instances and coercions of its own file that its statement rests
 * on, names that read like imported ones, hypotheses that stand outside its text, and notation. The compiled object says
 * what the statement is; the text says what a reader sees.
 */
import type { StatementBinder, StatementParts } from '@stp/lean-kernel';
import { nameParts, type Token } from '@stp/lean-text';

export interface Meaning {
  /** Declarations of the file, or of a neighbour that it imports, which the statement mentions, instances and coercions among them. */
  readonly declared: readonly string[];
  /** Those that read like something imported: `N.False` like `False`. */
  readonly hides: readonly { readonly name: string; readonly hidden: string }[];
  /** Hypotheses and variables from outside the theorem's text; one without a name is `[…]`. Null: nobody can tell. */
  readonly outside: readonly string[] | null;
  /** Notation and names of the file that its text has, and that the object does not show. */
  readonly notation: readonly string[];
}

/** `tokens`: of the theorem's declaration, without comments. `notation`: of the file. */
export function meaningOf(
  { own, hiding, binders }: StatementParts,
  tokens: readonly Token[],
  notation: ReadonlySet<string>,
): Meaning | null {
  const statement = readStatement(tokens);
  const outside = statement === null ? null : outsideBinders(binders, statement);
  const text = tokens.map((token) => token.text).join(' ');
  const used = [...notation].filter((word) => text.includes(word));
  const isPlain = own.length + hiding.length + used.length === 0 && outside?.length === 0;
  return isPlain ? null : { declared: own, hides: hiding, outside, notation: used };
}

/** Lean ends the name of an instance that has none with the module's; a judged file's module has a random one. */
const withoutModule = (name: string): string => name.replace(/_stp[0-9a-f]{16}$/, '');

/** The meaning in lines for people. */
export function meaningLines({ declared, hides, outside, notation }: Meaning): string[] {
  const list = (names: readonly string[]): string =>
    names.slice(0, SHOWN_MAX).map(withoutModule).join(', ') + (names.length > SHOWN_MAX ? ` and ${names.length - SHOWN_MAX} more` : '');
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

interface StatementText {
  /** Names of the binders before the colon, in order; null for an instance without a name, `_` for one without. */
  readonly binders: readonly (string | null)[];
  /** How often each name is bound in the type, `∀ x, …` and `(x : T) → …`. */
  readonly bound: ReadonlyMap<string, number>;
  /** How many instances without a name the type binds. */
  readonly instances: number;
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
  return { binders, ...boundIn(tokens.slice(at + 1, statementEnd(tokens, at + 1))) };
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

function boundIn(tokens: readonly Token[]): Pick<StatementText, 'bound' | 'instances'> {
  const bound = new Map<string, number>();
  let instances = 0;
  const add = (names: readonly (string | null)[]): void => {
    for (const name of names)
      if (name === null) instances += 1;
      else bound.set(name, (bound.get(name) ?? 0) + 1);
  };
  for (let at = 0; at < tokens.length; at += 1) {
    const { text } = tokens[at]!;
    if (OPENERS.has(text)) {
      const end = closing(tokens, at);
      const arrow = tokens[end + 1]?.text;
      if (arrow === '→' || (arrow === '-' && tokens[end + 2]?.text === '>')) add(groupNames(tokens, at, end));
    }
    if (text !== '∀' && text !== 'forall' && text !== 'Π') continue;
    for (at += 1; at < tokens.length && tokens[at]!.text !== ','; at += 1) {
      if (OPENERS.has(tokens[at]!.text)) {
        const end = closing(tokens, at);
        add(groupNames(tokens, at, end));
        at = end;
      } else if (tokens[at]!.kind === 'word') add([tokens[at]!.text]);
      // A type, or a condition on the names, follows.
      else break;
    }
  }
  return { bound, instances };
}

/** Binders of the type that come before those which the text writes. */
function outsideBinders(binders: readonly StatementBinder[], statement: StatementText): string[] | null {
  const own = statement.binders;
  const isHere = (from: number): boolean =>
    own.every((name, index) => {
      const binder = binders[from + index];
      if (binder === undefined) return false;
      return name === null || name === '_' ? binder.name === null : binder.name === nameParts(name).join('.');
    });
  const starts = Array.from({ length: Math.max(binders.length - own.length + 1, 0) }, (_, from) => from).filter(isHere);
  const from = starts.find((start) => isWrittenInType(binders.slice(start + own.length), statement)) ?? starts.at(-1);
  if (from === undefined) return null;
  return binders
    .slice(0, from)
    .filter((binder) => !isTypeVariable(binder))
    .map(({ name }) => name ?? '[…]');
}

/** Can the type's own text have bound these? An arrow binds without a name. */
function isWrittenInType(binders: readonly StatementBinder[], { bound, instances }: StatementText): boolean {
  const left = new Map(bound);
  let unnamed = instances;
  return binders.every(({ name, kind }) => {
    if (name === null) return kind !== 'instance' || unnamed-- > 0;
    const count = left.get(name) ?? 0;
    left.set(name, count - 1);
    return count > 0;
  });
}

/** `{α : Type}`, which says nothing by itself. */
const isTypeVariable = ({ name, isSort }: StatementBinder): boolean =>
  isSort && name !== null && /^\p{L}[\d₀-₉']*$/u.test(name);
