/** Tokens that no text splits or merges into: they are found in a text as a whole, before everything else. */
import { SLOT_TOKENS } from '../../data/schemas/slot-tokens.ts';

export const PAD_TOKEN = '<pad>';
export const END_TOKEN = '<end>';

/** Markers a prompt is built with; which one means what is the prompt's business (`selfplay/`). */
export const PROMPT_MARKERS: readonly string[] = ['<defs>', '<prove>', '<by>', '<lemma>', '<easy>', '<hard>'];

/** Marks a text whose names are slots. */
const DEFINITIONS_MARKER = '<defs>';
const SLOTS: ReadonlySet<string> = new Set(SLOT_TOKENS);

/** Markers that a tokenizer of these texts takes beside `<pad>` and `<end>`: with slots where one of them has any. */
export function markersOf(texts: Iterable<string>): readonly string[] {
  for (const text of texts) if (text.includes(DEFINITIONS_MARKER)) return [...PROMPT_MARKERS, ...SLOT_TOKENS];
  return PROMPT_MARKERS;
}

/** Is the token a slot, which means something only where the prompt holds it? */
export function isSlot(token: string): boolean {
  return SLOTS.has(token);
}
