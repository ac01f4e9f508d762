/**
 * Splits a Lean file into commands, and determines namespace, opens and variables at each. A command starts at a line
 * that begins with a command's keyword (after attributes and modifiers), as in the library. This is not a parser: it
 * would split a term at a line that begins with a reserved word.
 */
import type { MaskedSource } from './scan.ts';

export interface Command {
  /** `theorem`, `def`, `namespace`, … */
  readonly keyword: string;
  /** Offset of its attributes and modifiers, in UTF-16 units. */
  readonly begin: number;
  /** Offset of the keyword. */
  readonly start: number;
  /** Offset after the last character that is neither blank nor comment. */
  readonly end: number;
  /** Components of the namespace, outermost first. */
  readonly namespace: readonly string[];
  /** Names after `open`, in order, including those of `open … in`. */
  readonly opens: readonly string[];
  /** Whether a `variable` is in force, so that the signature alone does not say everything. */
  readonly hasVariables: boolean;
}

const DECLARATIONS =
  'theorem|lemma|def|abbrev|inductive|structure|class|instance|example|axiom|opaque|mutual|namespace|section|end';
/** These may begin a line inside a proof too (`open … in`), so they count only in column 0. */
const MARGIN_COMMANDS =
  'open|variable|universe|set_option|attribute|export|import|deriving|macro|syntax|notation|infixl|infixr|infix|initialize';
/** Words that may precede a declaration's keyword. */
export const MODIFIERS: ReadonlySet<string> = new Set(
  'private protected public noncomputable unsafe partial nonrec local scoped meta'.split(' '),
);
const NOT_NAME = "(?![\\p{L}\\p{N}_'!?.])";
const DECLARATION = new RegExp(`(?:${DECLARATIONS})${NOT_NAME}`, 'uy');
const MARGIN_COMMAND = new RegExp(`(?:(?:${MARGIN_COMMANDS})${NOT_NAME}|#[a-z])`, 'uy');
const MODIFIER = new RegExp(`(?:${[...MODIFIERS].join('|')})${NOT_NAME}`, 'uy');
const BLANK = /\s*/y;

interface Scope {
  readonly kind: 'namespace' | 'section';
  readonly name: string;
  readonly opens: string[];
  hasVariables: boolean;
}

/** Returns commands in order. Comments do not count; text before the first command is dropped. */
export function readCommands(source: MaskedSource): readonly Command[] {
  const starts = commandStarts(source.code);
  const scopes: Scope[] = [{ kind: 'section', name: '', opens: [], hasVariables: false }];
  const commands: Command[] = [];
  let opensOfNext: string[] = [];
  for (const [index, { begin, start, keyword }] of starts.entries()) {
    const limit = starts[index + 1]?.begin ?? source.code.length;
    const text = source.code.slice(start, limit).trimEnd();
    commands.push({
      keyword,
      begin,
      start,
      end: start + text.length,
      namespace: scopes.flatMap((scope) => (scope.kind === 'namespace' ? scope.name.split('.') : [])),
      opens: [...scopes.flatMap((scope) => scope.opens), ...opensOfNext],
      hasVariables: scopes.some((scope) => scope.hasVariables),
    });
    const isPrefix = /\sin$/.test(text) && begin === start;
    opensOfNext = isPrefix ? [...opensOfNext, ...(keyword === 'open' ? openedNames(text) : [])] : [];
    if (!isPrefix) applyToScope(scopes, keyword, text);
  }
  return commands;
}

function applyToScope(scopes: Scope[], keyword: string, text: string): void {
  const scope = scopes.at(-1)!;
  const argument = text.slice(keyword.length).trim();
  switch (keyword) {
    case 'namespace':
    case 'section':
      scopes.push({ kind: keyword, name: argument, opens: [], hasVariables: false });
      break;
    case 'mutual':
      scopes.push({ kind: 'section', name: '', opens: [], hasVariables: false });
      break;
    case 'end':
      if (scopes.length > 1) scopes.pop();
      break;
    case 'open':
      scope.opens.push(...openedNames(text));
      break;
    case 'variable':
      scope.hasVariables = true;
      break;
  }
}

/**
 * Returns the namespaces of `open A B` or `open A in`. The names of `open A (x y)` are not namespaces and are omitted.
 */
function openedNames(text: string): string[] {
  const words = text.split(/\s+/).slice(1);
  return words.filter((word) => word !== 'in' && word !== 'scoped' && !/[()]/.test(word));
}

/** `begin` is the offset of attributes and modifiers, `start` that of the keyword. */
function commandStarts(code: string): readonly { begin: number; start: number; keyword: string }[] {
  const starts: { begin: number; start: number; keyword: string }[] = [];
  for (let line = 0; line >= 0 && line < code.length; ) {
    const begin = matchAt(BLANK, code, line)!.length + line;
    const start = afterModifiers(code, begin);
    const atMargin = begin === 0 || code[begin - 1] === '\n';
    const keyword = matchAt(DECLARATION, code, start) ?? (atMargin ? matchAt(MARGIN_COMMAND, code, start) : null);
    if (keyword !== null) starts.push({ begin, start, keyword });
    const next = code.indexOf('\n', keyword === null ? begin : start);
    line = next < 0 ? -1 : next + 1;
  }
  return starts;
}

/** Returns the offset after `@[…]` (brackets may nest) and modifiers, across line breaks. */
function afterModifiers(code: string, begin: number): number {
  let position = begin;
  while (position < code.length) {
    const before = position;
    if (code.startsWith('@[', position)) {
      let depth = 0;
      do {
        if (code[position] === '[') depth++;
        if (code[position] === ']') depth--;
        position++;
      } while (position < code.length && (depth > 0 || code[position - 1] === '@'));
    } else {
      position += matchAt(MODIFIER, code, position)?.length ?? 0;
    }
    if (position === before) return position;
    position += matchAt(BLANK, code, position)!.length;
  }
  return position;
}

function matchAt(pattern: RegExp, text: string, position: number): string | null {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0] ?? null;
}
