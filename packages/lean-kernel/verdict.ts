/**
 * Verdicts of the kernel, and the two exceptions that carry a "no" out of the depths: a rule was broken (`Rejection`), or a
 * limit was met or the input is outside what this kernel covers (`Decline`). Neither is ever an acceptance.
 */

export type Verdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly declaration: string; readonly rule: Rule; readonly message: string }
  | { readonly kind: 'declined'; readonly declaration: string; readonly reason: string };

/** The rules a rejection can name, in the order of `docs/kernel.md`. */
export type Rule =
  | 'name'
  | 'level-parameters'
  | 'level'
  | 'closed'
  | 'constant'
  | 'sort'
  | 'application'
  | 'let'
  | 'literal'
  | 'projection'
  | 'declaration-type'
  | 'theorem-type'
  | 'quotient'
  | 'inductive-type'
  | 'constructor'
  | 'positivity'
  | 'universe'
  | 'nested'
  | 'recursor'
  | 'axioms'
  | 'statement';

/** A rule was broken. Caught where a declaration is added, which knows its name. */
export class Rejection extends Error {
  readonly rule: Rule;

  constructor(rule: Rule, message: string) {
    super(message);
    this.name = 'Rejection';
    this.rule = rule;
  }
}

/** No verdict: a limit of this kernel, or something it does not cover. */
export class Decline extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Decline';
  }
}
