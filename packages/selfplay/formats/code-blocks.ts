/** Finds the code blocks in a model's answer, and the end of its thinking. Knows Markdown's fences, no Lean. */
import type { PromptFormat } from '@stp/config';

const FENCE = '```';
/** The start of a code block. The pattern cannot backtrack after the word, so a line without an end is read once. */
const OPENING = /```([A-Za-z0-9]*)(?![A-Za-z0-9])[^\n`]*\n/gu;
const THEOREM = /\b(?:theorem|lemma)\b/u;
/** Info words of Lean blocks; models also write blocks without one. */
const LEAN: ReadonlySet<string> = new Set(['lean4', 'lean', '']);

export interface CodeBlock {
  readonly code: string;
  readonly isClosed: boolean;
}

/** Returns the Lean blocks in order. A fence closes its block at any position, since models also write `sorry```. */
export function leanBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  OPENING.lastIndex = 0;
  for (let match = OPENING.exec(text); match !== null; match = OPENING.exec(text)) {
    const start = match.index + match[0].length;
    const end = text.indexOf(FENCE, start);
    if (LEAN.has(match[1]!.toLowerCase()))
      blocks.push({ code: end < 0 ? text.slice(start) : text.slice(start, end), isClosed: end >= 0 });
    if (end < 0) break;
    OPENING.lastIndex = end + FENCE.length;
  }
  return blocks;
}

/** Returns the text before the first fence, or the whole text if there is none. */
export function upToFence(text: string): { readonly code: string; readonly isClosed: boolean } {
  const fence = text.indexOf(FENCE);
  return fence < 0 ? { code: text, isClosed: false } : { code: text.slice(0, fence), isClosed: true };
}

/**
 * May a block with a theorem end at the end of this text? Only such a text can have just become complete, since earlier
 * blocks ended earlier. Answers arrive in thousands of pieces, so little of the text is read.
 */
export function mayEndTheorem(text: string): boolean {
  const isAtFence = text
    .slice(-FENCE.length - 2)
    .trimEnd()
    .endsWith(FENCE);
  if (!isAtFence) return false;
  const close = text.lastIndexOf(FENCE);
  const open = text.lastIndexOf(FENCE, close - 1);
  return open >= 0 && THEOREM.test(text.slice(open, close));
}

/**
 * Returns the text after the thinking; null if the model still thinks. A model that never started to think has
 * answered.
 */
export function afterThinking(text: string, thinking: PromptFormat['thinking']): string | null {
  if (thinking === null) return text;
  const close = text.lastIndexOf(thinking.close);
  if (close >= 0) return text.slice(close + thinking.close.length);
  return text.includes(thinking.open) ? null : text;
}
