/** The names that a statement's proof may use, read from Lean's objects: its binders, and the definitions it uses. */

/** A binder of the statement's type, in its order: those before the colon and those the type itself still has. */
export interface ContextBinder {
  /** The name in the statement; null where it has none that a proof could use. */
  readonly name: string | null;
  /**
   * `type`: ranges over types or propositions. `instance`: found by Lean (`[DecidableEq α]`). `hypothesis`: its type is a proposition.
   * `function`: its type is a function type and no proposition. `variable`: every other value.
   */
  readonly kind: 'variable' | 'hypothesis' | 'type' | 'instance' | 'function';
  readonly isExplicit: boolean;
  /** It stands before the colon, so a proof begins with it in scope; the others wait for `intro`. */
  readonly isIntroduced: boolean;
  /** A later binder has its name, which then means that one. */
  readonly isShadowed: boolean;
  /** Full name of the constant at the head of its type, `List` of `List Nat`; null if there is none. */
  readonly typeHead: string | null;
  /** The inductive type that its type unfolds to; null if that is not an inductive type. */
  readonly inductive: ContextInductive | null;
}

export interface ContextInductive {
  /** Full name. */
  readonly name: string;
  /** Some constructor holds a value of the type itself: induction brings a hypothesis. */
  readonly isRecursive: boolean;
  /** Last parts of the constructors' names, in order: `nil`, `cons`. */
  readonly constructors: readonly string[];
}

/**
 * Hand-written definitions of the library's or a problem set's modules, or of the statement's header, that the statement mentions, directly or not.
 */
export interface ContextDefinition {
  /** Full name. */
  readonly name: string;
  /** The shortest way in which a proof of the statement can write it: after its header's `open`s, past its binders. */
  readonly written: string;
  readonly kind: 'definition' | 'instance' | 'inductive' | 'structure' | 'constructor' | 'projection';
  /** 0: the statement mentions it. 1: a definition that the statement mentions does. And so on. */
  readonly distance: number;
  /** Its text up to the first equation, without comments; null where its source is not known, for projections, and in a header. */
  readonly signature: string | null;
  /** Texts of its equations: alternatives without their bar, or the one body. Empty for types and constructors. */
  readonly equations: readonly string[];
  /** Defined by recursion of its own, structural or well-founded: `fun_induction` applies. */
  readonly isRecursive: boolean;
  /** How many explicit arguments its type takes. */
  readonly arity: number;
}

/** A definition that the statement applies to nothing but its own binders: `drop n xs`. */
export interface ContextApplication {
  /** Full name. */
  readonly definition: string;
  /** Names of the binders that are its explicit arguments, all of them given. */
  readonly arguments: readonly string[];
}

export interface StatementContext {
  readonly binders: readonly ContextBinder[];
  /** Nearest first; of one distance in the order in which they are met. */
  readonly definitions: readonly ContextDefinition[];
  readonly applications: readonly ContextApplication[];
  /** Full names of constants of other libraries (core, Std, Mathlib) that the statement mentions itself, in its order. */
  readonly core: readonly string[];
}

/** `reason`: why nothing could be read; empty where it was. */
export type ContextAnswer =
  | { readonly context: StatementContext; readonly reason: '' }
  | { readonly context: null; readonly reason: string };
