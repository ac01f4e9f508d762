/**
 * The tokens that replace names in a model's text when names are slots: `<n0>` is the first number of the statement,
 * `<f1>` the second function that it uses, `<all>` all functions of the prompt, separated by commas. In the embedded
 * tokenizer each is one token.
 */

/** Number of slots of each role. Names beyond them stay as they are. */
const SLOT_COUNTS = {
  /** Types and instances that the statement binds. */
  t: 4,
  /** Variables by kind: numbers, lists, functions, others. */
  n: 8,
  s: 8,
  g: 6,
  x: 8,
  /** Hypotheses. */
  h: 8,
  /** Inductive types, their constructors, functions. */
  d: 6,
  c: 12,
  f: 20,
  /** Theorems that the prompt shows. */
  l: 8,
} as const;
export type SlotRole = keyof typeof SLOT_COUNTS;

export const ALL_FUNCTIONS = '<all>';

/** Marker before the state in a prompt that asks for the next tactic. `<prove>` asks for a whole proof. */
export const STATE_MARKER = '<state>';

/** Ends a prompt that asks for a proof or a tactic. */
export const PROOF_MARKER = '<by>';

/** Markers that any prompt may contain, with or without slots. */
export const PROMPT_MARKERS: readonly string[] = ['<defs>', '<prove>', PROOF_MARKER, '<lemma>', '<easy>', '<hard>'];

/** Returns the token of a slot, or null if the role has no slot with this index. */
export function slotToken(role: SlotRole, index: number): string | null {
  return index < SLOT_COUNTS[role] ? `<${role}${index}>` : null;
}

export const SLOT_TOKENS: readonly string[] = [
  ALL_FUNCTIONS,
  ...Object.entries(SLOT_COUNTS).flatMap(([role, count]) =>
    Array.from({ length: count }, (_, index) => `<${role}${index}>`),
  ),
];
