/**
 * Finds the places of `sorry` in a snippet, as the REPL lists them: by this list alone clients tell a valid snippet
 * from one with a hole. The REPL finds them in elaborated terms; this file finds the words in the text. If a
 * declaration uses `sorry` by another name (`sorryAx`, a macro), the list has the declaration's place, so no hole that
 * Lean warns of is missed.
 */
import type { Token } from '../trust/screen/tokenizer.ts';
import { positionsOf } from './positions.ts';
import type { WireMessage, WireSorry } from './wire.ts';

const HOLES: ReadonlySet<string> = new Set(['sorry', 'admit']);
/** Lean 4.20 changed the quotation marks. */
const USES_SORRY = /^declaration uses [`']sorry[`']/;

/** `tokens` are those of `code`, comments left out. */
export function sorriesOf(code: string, tokens: readonly Token[], messages: readonly WireMessage[]): WireSorry[] {
  const holes = tokens.filter((token, index) => HOLES.has(token.text) && !isPartOfName(tokens, index));
  if (holes.length > 0) {
    const positions = positionsOf(
      code,
      holes.flatMap(({ start, end }) => [start, end]),
    );
    return holes.map((_, index) => ({ pos: positions[2 * index]!, endPos: positions[2 * index + 1]!, goal: '' }));
  }
  return messages
    .filter(({ severity, data }) => severity === 'warning' && USES_SORRY.test(data))
    .map(({ pos, endPos }) => ({ pos, endPos: endPos ?? pos, goal: '' }));
}

/** `` `sorry `` is a name, and so is `.sorry` after something. */
function isPartOfName(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  return (
    before !== undefined && before.end === tokens[index]!.start && (before.text === '.' || before.text.endsWith('`'))
  );
}
