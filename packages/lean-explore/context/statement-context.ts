/**
 * The names that a statement's proof may use, read from compiled modules: its binders, and the definitions that it
 * uses.
 */

/** A binder of the statement's type, in order: those before the colon, then those that remain in the type. */
export interface ContextBinder {
  /** The name in the statement; null if it has none that a proof could use. */
  readonly name: string | null;
  /**
   * `type`: ranges over types or propositions. `instance`: found by Lean (`[DecidableEq α]`). `hypothesis`: its type is
   * a proposition. `function`: its type is a function type, but not a proposition. `variable`: any other value.
   */
  readonly kind: 'variable' | 'hypothesis' | 'type' | 'instance' | 'function';
  readonly isExplicit: boolean;
  /** It is before the colon, so it is in scope when a proof begins; the others require `intro`. */
  readonly isIntroduced: boolean;
  /** A later binder has the same name, which then refers to the later one. */
  readonly isShadowed: boolean;
  /** Full name of the constant at the head of its type, such as `List` for `List Nat`; null if there is none. */
  readonly typeHead: string | null;
  /** The inductive type to which its type unfolds; null if there is none. */
  readonly inductive: ContextInductive | null;
}

export interface ContextInductive {
  /** Full name. */
  readonly name: string;
  /** A constructor has an argument of the type itself, so induction gives a hypothesis. */
  readonly isRecursive: boolean;
  /** Last components of the constructors' names, in order: `nil`, `cons`. */
  readonly constructors: readonly string[];
}

/**
 * A definition that a person wrote in a module of the library or of a problem set, or in the statement's header, and
 * that the statement mentions directly or indirectly.
 */
export interface ContextDefinition {
  /** Full name. */
  readonly name: string;
  /** The shortest form in which a proof of the statement can write it, given its header's `open`s and its binders. */
  readonly written: string;
  readonly kind: 'definition' | 'instance' | 'inductive' | 'structure' | 'constructor' | 'projection';
  /** 0: the statement mentions it. 1: a definition that the statement mentions does, and so on. */
  readonly distance: number;
  /**
   * Its text up to the first equation, without comments. Null if its source is unknown, for projections, and for
   * definitions of a header.
   */
  readonly signature: string | null;
  /** Texts of its equations: alternatives without their bar, or a single body. Empty for types and constructors. */
  readonly equations: readonly string[];
  /** Defined by structural or well-founded recursion, so `fun_induction` applies. */
  readonly isRecursive: boolean;
  /** Number of explicit arguments in its type. */
  readonly arity: number;
}

/**
 * A definition that the statement applies only to its own binders, such as `drop n xs`. Of other libraries only
 * recursive ones are listed.
 */
export interface ContextApplication {
  /** Full name. */
  readonly definition: string;
  /** A form in which a proof of the statement can write it. */
  readonly written: string;
  /** Defined by structural or well-founded recursion, so `fun_induction` applies. */
  readonly isRecursive: boolean;
  /** Names of the binders that are its explicit arguments. No explicit argument is missing. */
  readonly arguments: readonly string[];
}

/** An inductive predicate, such as `List.Perm`, or a defined one, such as `List.IsPrefix`. */
export interface ContextPredicate {
  /** Full name. */
  readonly name: string;
  /** Full names of its constructors; empty for a definition. */
  readonly constructors: readonly string[];
}

export interface StatementContext {
  readonly binders: readonly ContextBinder[];
  /** Nearest first. Definitions at the same distance are in the order in which they are found. */
  readonly definitions: readonly ContextDefinition[];
  readonly applications: readonly ContextApplication[];
  /** Predicates that the statement mentions directly, without connectives and classes, in order. */
  readonly predicates: readonly ContextPredicate[];
  /** Full names of constants of other libraries (core, Std, Mathlib) that the statement mentions directly, in order. */
  readonly core: readonly string[];
  /**
   * Full names of functions of other libraries that `simp` may unfold: those that the statement mentions, each with the
   * auxiliary ones that it calls.
   */
  readonly coreFunctions: readonly string[];
  /** Whether the value of one of these mentions `cond`. */
  readonly unfoldsToCond: boolean;
  /** `grind`, without the solvers that the statement's imports lack. */
  readonly grind: string;
}

/** `reason`: why the context could not be read; empty if it could. */
export type ContextAnswer =
  | { readonly context: StatementContext; readonly reason: '' }
  | { readonly context: null; readonly reason: string };
