/** Splits a declaration's source text into the part before its equations and the equations. */

import type { SourceRange } from '@stp/lean-kernel';
import { maskSource } from '@stp/lean-text';

export interface DeclarationText {
  readonly signature: string;
  /** Equations without the leading bar. */
  readonly equations: readonly string[];
}

const OPENING = '([{⟨⦃';
const CLOSING = ')]}⟩⦄';
/** Maximum white space before a bar, in characters. */
const LOOK_AHEAD = 80;
/** Matches lines after a definition's equations that do not belong to them. */
const BEHIND = /^\s*(?:termination_by|decreasing_by|deriving)\b/u;

/** Returns the lines of a source without comments. Ranges count code points, not UTF-16 units. */
export function sourceLines(source: string): readonly string[] {
  return maskSource(source).withoutComments.split('\n');
}

export function declarationText(lines: readonly string[], range: SourceRange, isDefinition: boolean): DeclarationText {
  const cut = lines.slice(range.line - 1, range.endLine).map((line) => [...line]);
  if (cut.length > 0) {
    cut[cut.length - 1] = cut.at(-1)!.slice(0, range.endColumn);
    cut[0] = cut[0]!.slice(range.column);
  }
  const all = cut.map((line) => line.join('').trimEnd()).filter((line) => line.trim() !== '');
  const behind = all.findIndex((line) => BEHIND.test(line));
  const text = all
    .slice(0, behind < 0 ? all.length : behind)
    .join('\n')
    .trim();
  return isDefinition ? splitDefinition(text) : { signature: text.replace(/^\|\s*/u, ''), equations: [] };
}

/** Splits a definition at the first `:=`, `where` or line that begins with a bar, outside brackets. */
function splitDefinition(text: string): DeclarationText {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (OPENING.includes(character)) depth++;
    else if (CLOSING.includes(character)) depth--;
    if (depth > 0) continue;
    if (text.startsWith(':=', index))
      return { signature: before(text, index), equations: [text.slice(index + 2).trim()] };
    const bar = /^\s+\|\s/u.exec(text.slice(index, index + LOOK_AHEAD))?.[0];
    if (bar !== undefined) return { signature: before(text, index), equations: alternatives(text.slice(index)) };
  }
  return { signature: text, equations: [] };
}

const before = (text: string, index: number): string => text.slice(0, index).trim();

/** Returns the alternatives of the definition itself: lines whose bar is indented no deeper than the first one. */
function alternatives(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  for (const line of text.replace(/^\s*\n/u, '').split('\n')) {
    const bar = /^(\s*)\|\s*/u.exec(line);
    if (bar !== null && (found.length === 0 || bar[1]!.length <= depth)) {
      if (found.length === 0) depth = bar[1]!.length;
      found.push(line.slice(bar[0].length).trimEnd());
    } else if (found.length > 0) found[found.length - 1] += `\n${line.trimEnd()}`;
  }
  return found;
}
