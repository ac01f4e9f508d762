/** What a check of a compiled module came to, as it is printed and passed between threads. */
import type { Declined, Rejected } from '../run/report.ts';
import type { Verdict } from '../verdict.ts';

export interface CheckedTheorem {
  readonly name: string;
  readonly verdict: Verdict['kind'];
  /** Why it is not accepted; empty where it is. */
  readonly message: string;
  /** Axioms of this module that it rests on. */
  readonly ownAxioms: readonly string[];
  /**
   * Axioms among what was read of the imports: of a library without proofs the theorems that are used, and of one with proofs
   * those that types and unfolded values mention. Lean's `#print axioms` tells all.
   */
  readonly libraryAxioms: readonly string[];
}

export interface ModuleReport {
  /** `declined` where anything that was looked at was declined, a theorem or not, and nothing rejected. */
  readonly verdict: 'accepted' | 'rejected' | 'declined';
  readonly declarations: number;
  /** Unsafe and partial ones, which are not looked at. */
  readonly setAside: number;
  readonly theorems: readonly CheckedTheorem[];
  readonly rejected: readonly Rejected[];
  readonly declined: readonly Declined[];
}
