/**
 * A definition that a statement uses, directly or through others, as a prompt may show it.
 * `packages/lean-explore/library/definitions.ts` reads it from Lean's text, and `packages/selfplay/slots` shows it.
 */
export interface ShownDefinition {
  /** Fully qualified. */
  readonly name: string;
  /** The shortest name by which a statement may call it, below the statement's header. */
  readonly written: string;
  readonly kind: 'function' | 'inductive';
  /** 0: the statement mentions the definition; n + 1: a definition at distance n mentions it. */
  readonly distance: number;
  /** Text after the name up to the equations or constructors: `{α : Type} : List α → Nat`. */
  readonly signature: string;
  /**
   * `[], ys => ys`, one for each equation; a body without cases is the single `=> body`. For an inductive type its
   * constructors, `node (l r : T)`.
   */
  readonly equations: readonly string[];
  /** Short names of an inductive type's constructors. */
  readonly constructors: readonly string[];
}
