/** Tokens that no text splits or merges into: found in a text as a whole, before anything else. */

export const PAD_TOKEN = '<pad>';
export const END_TOKEN = '<end>';

/** Markers a prompt is built with; which one means what is the prompt's business (`selfplay/`). */
export const PROMPT_MARKERS: readonly string[] = ['<prove>', '<by>', '<lemma>', '<easy>', '<hard>'];
