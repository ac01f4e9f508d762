/**
 * Cuts a Lean file into commands, and gives the namespace, opens and variables in force at each. A command starts at a
 * line that starts with a command's keyword (after attributes and modifiers). The library is written that way. This is
 * not a parser: a term that starts a line with a reserved word would be cut there.
 */
import type { MaskedSource } from './scan.ts';

export interface Command {
  /** `theorem`, `def`, `namespace`, … */
  readonly keyword: string;
  /** Start of its attributes and modifiers, in UTF-16 units from the start of the file. */
  readonly begin: number;
  /** Start of the keyword. */
  readonly start: number;
  /** After the last character that is neither blank nor comment. */
  readonly end: number;
  /** Namespace parts, outermost first. */
  readonly namespace: readonly string[];
  /** Names after `open`, in order, those of `open … in` included. */
  readonly opens: readonly string[];
  /** True where a `variable` is in force: the signature alone does not say everything. */
  readonly hasVariables: boolean;
}

const DECLARATIONS =
  'theorem|lemma|def|abbrev|inductive|structure|class|instance|example|axiom|opaque|mutual|namespace|section|end';
/** May also start a line inside a proof (`open … in`), so they count at the margin only. */
const MARGIN_COMMANDS =
  'open|variable|universe|set_option|attribute|export|import|deriving|macro|syntax|notation|infixl|infixr|infix|initialize';
/** Words that may stand between a declaration's attributes and its keyword. */
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

/** Commands in order. Comments do not count; text before the first command is dropped. */
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

/** `open A B`, `open A in`; the names of `open A (x y)` are not a namespace's and are left to the reader's header. */
function openedNames(text: string): string[] {
  const words = text.split(/\s+/).slice(1);
  return words.filter((word) => word !== 'in' && word !== 'scoped' && !/[()]/.test(word));
}

/** `begin`: where the attributes and modifiers start. `start`: where the keyword does. */
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

/** Past `@[…]` (brackets may nest) and modifiers, over line breaks. */
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
