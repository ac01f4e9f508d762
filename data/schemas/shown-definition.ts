/**
 * A definition that a statement stands on, directly or through others, as a prompt may show it. Read from Lean's text by
 * `lean/library/definitions.ts`; what is made of it (`selfplay/slots`) knows this shape alone.
 */
export interface ShownDefinition {
  /** Fully qualified. */
  readonly name: string;
  /** As the statement's header lets it be written: shortest. */
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
