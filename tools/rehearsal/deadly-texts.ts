/** A false statement on which Lean itself comes to an end: it grows by hundreds of megabytes a second, until it has more memory than a check may have. */
export const GREEDY = [
  'set_option maxRecDepth 100000000 in',
  'example : ∀ n : Fin 100000, n.val + 0 = n.val ∧ n.val < 99999 := by decide',
].join('\n');
