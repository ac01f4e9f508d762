/**
 * What a statement stands on, as prompts show it: the names it binds, and the definitions it mentions, directly or through
 * other definitions. Made by a reader of Lean text (`lean/library/definitions.ts`); the pure part (`selfplay/slots`) knows
 * this shape alone.
 */

export interface ContextDefinition {
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
  /** Its equations mention itself. */
  readonly recursive: boolean;
}

export interface StatementContext {
  /** Nearest first, then in the order in which they are mentioned. */
  readonly definitions: readonly ContextDefinition[];
}
