/**
 * Finds the JSON object in an answer, after its thinking: the whole text, a code block, or a part of the text.
 * Returns undefined if there is none.
 */

const THINKING_ENDS = '</think>';
const BLOCK = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/gu;

export function jsonIn(text: string): unknown {
  const thoughtEnd = text.lastIndexOf(THINKING_ENDS);
  const answered = thoughtEnd < 0 ? text : text.slice(thoughtEnd + THINKING_ENDS.length);
  const block = [...answered.matchAll(BLOCK)].at(-1)?.[1];
  const braces = answered.slice(answered.indexOf('{'), answered.lastIndexOf('}') + 1);
  for (const candidate of [answered, block, braces]) {
    const value = candidate === undefined ? undefined : parsed(candidate);
    if (typeof value === 'object' && value !== null) return value;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
