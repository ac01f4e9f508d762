/** Findings about the theorems of a compiled module, before further checkers run. */

import type { Objection } from './axiom-policy.ts';
import type { Meaning } from './meaning.ts';

/** Name in records of checks. Increment the version whenever a verdict could change. */
export const OBJECT = { name: 'object', version: '3' } as const;
/** Our own kernel (`packages/lean-kernel`), recorded in certificates as a separate check. */
export const SECOND_KERNEL = { name: 'second kernel', version: '2' } as const;

/** Part of the key under which judgements are cached. */
export const JUDGED_BY: readonly string[] = [OBJECT, SECOND_KERNEL].map(({ name, version }) => `${name} ${version}`);

export interface TheoremFinding {
  readonly name: string;
  /** Position of the declaration: 1-based line, 0-based column. */
  readonly line: number;
  readonly column: number;
  /** All axioms that it depends on, sorted. */
  readonly axioms: readonly string[];
  /**
   * Constants of imported modules that it mentions, directly or through other constants of the module. Empty if
   * theorems are only listed.
   */
  readonly mentions: readonly string[];
  /** The declaration is an example, which has no name. */
  readonly isExample?: true;
  /**
   * Facts that can mislead a reader of the statement. Missing if there are none, or if our own statements define its
   * meaning.
   */
  readonly meaning?: Meaning;
  /** Why its own header makes readers mistake its statement for another one. Missing if it does not. */
  readonly misread?: string;
  /** The object judge's objection to it; null if there is none. */
  readonly objection: string | null;
  /** The kind of forbidden dependency, if that is the objection. */
  readonly restsOn?: Objection['restsOn'];
  /** Answer of the second kernel. */
  readonly kernel: 'accepted' | 'rejected' | 'declined';
  /** Why the second kernel did not accept; empty if it did. */
  readonly reason: string;
}

export interface ObjectFinding {
  readonly theorems: readonly TheoremFinding[];
  /** An objection to the module and no theorem in particular; null if there is none. */
  readonly objection: string | null;
  /**
   * A definition or instance with a forbidden dependency (`sorry`, another axiom), or null. Each theorem's axioms show
   * whether it depends on it.
   */
  readonly open: string | null;
  /** Whether the kernel accepted every constant that is not set aside, and there is no objection to the module. */
  readonly isSound: boolean;
  /** Facts that can mislead a reader of the file and belong to no theorem. */
  readonly notes: readonly string[];
  /** Declarations of a file that are not theorems and depend on axioms. */
  readonly others: readonly DeclarationAxioms[];
}

export interface DeclarationAxioms {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  /** All axioms, including the allowed ones, sorted. */
  readonly axioms: readonly string[];
}
