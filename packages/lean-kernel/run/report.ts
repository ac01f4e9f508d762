/** The result of checking exports, as it is printed and passed between threads. */
import type { Rule } from '../verdict.ts';

export interface Rejected {
  readonly declaration: string;
  readonly rule: Rule;
  readonly message: string;
}

export interface Declined {
  readonly declaration: string;
  readonly reason: string;
}

export interface KernelReport {
  readonly verdict: 'accepted' | 'rejected' | 'declined';
  /** Number of declared constants: definitions, theorems, types, constructors, recursors … */
  readonly constants: number;
  /** Number of records that were checked. */
  readonly declarations: number;
  /** The accepted theorems with the axioms on which each depends. */
  readonly theorems: readonly { readonly name: string; readonly axioms: readonly string[] }[];
  /** Declared axioms. One with a standard name but another statement is marked: `propext (not the standard one)`. */
  readonly axioms: readonly string[];
  /** The first violated rule, which ends the check; otherwise empty. */
  readonly rejected: readonly Rejected[];
  readonly declined: readonly Declined[];
  /** Steps of the costliest declaration, and of all. */
  readonly steps: { readonly most: number; readonly all: number };
  /** Expressions made by the costliest declaration, and those of the files. */
  readonly nodes: { readonly most: number; readonly permanent: number };
}
