/**
 * Determines where the proof of a theorem begins: the single rule for which `:=` begins a proof, for all readers of
 * statements.
 */

/** Each of these requires one `:=` within a term. */
export const BINDING_WORDS: ReadonlySet<string> = new Set(
  'let have letI haveI let_fun let_delayed let_tmp let_expr'.split(' '),
);

/**
 * Returns a function that takes the words and signs outside brackets, in order. For each it returns whether it is the
 * `:=` of a proof, that is, one that no binding word requires. `let x ← e` binds without `:=`.
 */
export function proofSigns(): (sign: string) => boolean {
  let bindings = 0;
  return (sign) => {
    if (BINDING_WORDS.has(sign)) bindings += 1;
    else if (sign === ':=' && bindings === 0) return true;
    else if (sign === ':=' || sign === '←') bindings = Math.max(0, bindings - 1);
    return false;
  };
}
