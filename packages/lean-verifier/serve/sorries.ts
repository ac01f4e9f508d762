/**
 * Finds each `sorry` in a snippet, as the REPL lists them. This list alone tells clients whether a valid snippet has a
 * hole. The REPL finds holes in elaborated terms; this file finds the words in the text. If Lean warns about a
 * declaration that has none of the words, its hole has another name (`sorryAx`, a macro). Then the list has the
 * position of the declaration. So every hole that Lean warns about is listed.
 */
import type { Token } from '@stp/lean-text';
import { positionsOf } from './positions.ts';
import type { WireMessage, WirePosition, WireSorry } from './wire.ts';

/** Words that are always holes. */
const HOLES: ReadonlySet<string> = new Set(['sorry', 'admit']);
/** Words that are holes if Lean warns about their declaration, unless Lean says that the goal was closed. */
const HOLES_IF_WARNED: ReadonlySet<string> = new Set(['apply?', 'stop']);
const CLOSED = /^Try this:\s*(?:\[apply\]\s*)?exact\s/;
/** Lean 4.20 changed the quotation marks. */
const USES_SORRY = /^declaration uses [`']sorry[`']/;
/**
 * Keywords that begin a command. None can occur in a term or a tactic. A superfluous keyword would only add a position
 * to the list.
 */
const COMMANDS: ReadonlySet<string> = new Set(
  [
    'theorem lemma def abbrev example instance structure class inductive coinductive opaque axiom mutual namespace',
    'section end variable universe export attribute deriving macro macro_rules syntax notation infix infixl infixr',
    'prefix postfix elab elab_rules initialize builtin_initialize run_cmd declare_syntax_cat simproc',
  ].flatMap((line) => line.split(' ')),
);

/** `tokens` are those of `code` without comments. */
export function sorriesOf(code: string, tokens: readonly Token[], messages: readonly WireMessage[]): WireSorry[] {
  const marks: { readonly token: Token; readonly kind: 'command' | 'hole' | 'maybe' }[] = [];
  for (const [index, token] of tokens.entries()) {
    const isHole = HOLES.has(token.text) && !isPartOfName(tokens, index);
    if (isHole) marks.push({ token, kind: 'hole' });
    else if (HOLES_IF_WARNED.has(token.text) && !isPartOfName(tokens, index)) marks.push({ token, kind: 'maybe' });
    else if (beginsCommand(tokens, index)) marks.push({ token, kind: 'command' });
  }
  const positions = positionsOf(
    code,
    marks.flatMap(({ token: { start, end } }) => [start, end]),
  );
  const found = marks.map(({ kind }, index) => ({
    kind,
    pos: positions[2 * index]!,
    endPos: positions[2 * index + 1]!,
  }));
  const commands = found.filter(({ kind }) => kind === 'command').map(({ pos }) => pos);
  const closed = new Set(messages.filter(({ data }) => CLOSED.test(data)).map(({ pos }) => keyOf(pos)));
  const warnings = messages.filter(({ severity, data }) => severity === 'warning' && USES_SORRY.test(data));
  const warned = new Set(warnings.flatMap((warning) => commandsOf(warning, commands)));
  const holes = found
    .filter(({ kind }) => kind !== 'command')
    .map((hole) => ({ ...hole, command: commandAt(hole.pos, commands) }))
    .filter(({ kind, pos, command }) => kind === 'hole' || (warned.has(command) && !closed.has(keyOf(pos))));
  const explained = new Set(holes.map(({ command }) => command));
  const others = warnings.filter((warning) => !commandsOf(warning, commands).some((command) => explained.has(command)));
  const byPosition = new Map(
    [...holes, ...others].map(({ pos, endPos }) => [keyOf(pos), { pos, endPos: endPos ?? pos }]),
  );
  return [...byPosition.values()].sort((a, b) => compare(a.pos, b.pos)).map((hole) => ({ ...hole, goal: '' }));
}

/** Whether a command begins here: at a keyword, or at a word after `#`, as in `#check`. */
function beginsCommand(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index]!;
  if (token.kind === 'word') return COMMANDS.has(token.text);
  const next = tokens[index + 1];
  return token.text === '#' && next?.kind === 'word' && next.start === token.end;
}

/** Returns the commands that a message is about. A message may begin at an attribute before the keyword. */
function commandsOf({ pos, endPos }: WireMessage, commands: readonly WirePosition[]): number[] {
  const first = commandAt(pos, commands);
  const last = commandAt(endPos ?? pos, commands);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Returns the number of the command at the position: how many commands begin there or before. */
function commandAt(pos: WirePosition, commands: readonly WirePosition[]): number {
  let [low, high] = [0, commands.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(commands[middle]!, pos) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const compare = (a: WirePosition, b: WirePosition): number => a.line - b.line || a.column - b.column;
const keyOf = ({ line, column }: WirePosition): string => `${line}:${column}`;

/** Both `` `sorry `` and `.sorry` after another token are names, not holes. */
function isPartOfName(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  return (
    before !== undefined && before.end === tokens[index]!.start && (before.text === '.' || before.text.endsWith('`'))
  );
}
