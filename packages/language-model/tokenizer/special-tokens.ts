/** Tokens that are matched as a whole before anything else; no text is split or merged into them. */
import { PROMPT_MARKERS, SLOT_TOKENS, STATE_MARKER } from '@stp/config/words';

export const PAD_TOKEN = '<pad>';
export const END_TOKEN = '<end>';

/** Marks a text whose names are slots. */
const DEFINITIONS_MARKER = '<defs>';
const SLOTS: ReadonlySet<string> = new Set(SLOT_TOKENS);

/**
 * Markers of a tokenizer of these texts, in addition to `<pad>` and `<end>`: slots and `<state>` only if a text
 * contains them.
 */
export function markersOf(texts: Iterable<string>): readonly string[] {
  let [hasSlots, hasStates] = [false, false];
  for (const text of texts) {
    hasSlots ||= text.includes(DEFINITIONS_MARKER);
    hasStates ||= text.includes(STATE_MARKER);
    if (hasSlots && hasStates) break;
  }
  return [...PROMPT_MARKERS, ...(hasStates ? [STATE_MARKER] : []), ...(hasSlots ? SLOT_TOKENS : [])];
}

/** Returns whether the token is a slot, which has a meaning only if the prompt contains it. */
export function isSlot(token: string): boolean {
  return SLOTS.has(token);
}
