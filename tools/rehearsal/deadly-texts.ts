/**
 * A false statement that kills Lean: its memory grows by hundreds of megabytes a second, beyond the limit of a check.
 */
export const GREEDY = [
  'set_option maxRecDepth 100000000 in',
  'example : ∀ n : Fin 100000, n.val + 0 = n.val ∧ n.val < 99999 := by decide',
].join('\n');
