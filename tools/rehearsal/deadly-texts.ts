/** Texts on which Lean itself comes to an end. Both state what is false, so nobody may accept them. */

/** The kernel's arithmetic needs more digits than it can have, and ends the process at once. */
export const CRASHING = [
  'set_option exponentiation.threshold 100000000000 in',
  'example : 2 ^ 2 ^ 36 % 7 = 1 := by decide',
].join('\n');

/** Grows by hundreds of megabytes a second, until it has more memory than a check may have. */
export const GREEDY = [
  'set_option maxRecDepth 100000000 in',
  'example : ∀ n : Fin 100000, n.val + 0 = n.val ∧ n.val < 99999 := by decide',
].join('\n');
