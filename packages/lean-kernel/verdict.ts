/**
 * Verdicts of the kernel, and the two exceptions that end a check: a rule was violated (`Rejection`), or a limit was
 * reached or the input is not supported (`Decline`). Neither is ever an acceptance.
 */

export type Verdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly declaration: string; readonly rule: Rule; readonly message: string }
  | { readonly kind: 'declined'; readonly declaration: string; readonly reason: string };

/** The rules that a rejection can name, in the order of `docs/kernel.md`. */
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

/** A rule was violated. Caught where the declaration is added, which knows its name. */
export class Rejection extends Error {
  readonly rule: Rule;

  constructor(rule: Rule, message: string) {
    super(message);
    this.name = 'Rejection';
    this.rule = rule;
  }
}

/** No verdict: a limit of this kernel, or unsupported input. */
export class Decline extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Decline';
  }
}
