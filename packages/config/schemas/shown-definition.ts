/**
 * A definition that a statement uses, directly or through others, in a form that a prompt may show.
 * `packages/lean-explore/library/definitions.ts` reads it from Lean's text; its user (`packages/selfplay/slots`) knows this shape alone.
 */
export interface ShownDefinition {
  /** Fully qualified. */
  readonly name: string;
  /** The shortest name by which a statement may call it, below the statement's header. */
  readonly written: string;
  readonly kind: 'function' | 'inductive';
  /** 0: the statement mentions it; else one more than that of what mentions it. */
  readonly distance: number;
  /** Text after the name up to the equations or constructors: `{α : Type} : List α → Nat`. */
  readonly signature: string;
  /** `[], ys => ys` one each; a body without cases is one `=> body`. Of an inductive type its constructors, `node (l r : T)`. */
  readonly equations: readonly string[];
  /** Short names of an inductive type's constructors. */
  readonly constructors: readonly string[];
}
