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
  /** Constants declared: definitions, theorems, types, constructors, recursors … */
  readonly constants: number;
  /** Number of records that were checked. */
  readonly declarations: number;
  /** The axioms each accepted theorem rests on. */
  readonly theorems: readonly { readonly name: string; readonly axioms: readonly string[] }[];
  /** Axioms declared. One with a standard name and another statement is marked: `propext (not the standard one)`. */
  readonly axioms: readonly string[];
  /** The first rule that was broken ends the check. */
  readonly rejected: readonly Rejected[];
  readonly declined: readonly Declined[];
  /** Steps of the costliest declaration, and of all. */
  readonly steps: { readonly most: number; readonly all: number };
  /** Expressions the costliest declaration made, and those of the files. */
  readonly nodes: { readonly most: number; readonly permanent: number };
}
