/** Where the proof of a theorem begins: the one rule for which `:=` is a proof's, for all readers of statements. */

/** Each takes one `:=` of its own where it stands in a term. */
export const BINDING_WORDS: ReadonlySet<string> = new Set(
  'let have letI haveI let_fun let_delayed let_tmp let_expr'.split(' '),
);

/**
 * A reader of the words and signs that stand outside brackets, in order, whatever cut them. It says of each whether it is the
 * `:=` of a proof: one that no binding word asks for. `let x ← e` binds without.
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
