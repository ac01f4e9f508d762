/**
 * The checkers of a certificate beyond our own judge, in the order in which they are asked. The second kernel is not among
 * them: it is a part of that judge (`../object/judge-object.ts`).
 */
import type { StatedTheorem } from '../object/stated-module.ts';
import type { Checker } from './checker.ts';
import { leanchecker } from './leanchecker.ts';

/** One of them, or the second kernel, must have accepted a theorem. */
export const CHECKERS: readonly Checker[] = [leanchecker];

/** What a file of proofs was to prove. */
export interface CertificateTask {
  /** The theorems that were to be proved: all that the file is to hold. */
  readonly stated: readonly StatedTheorem[];
  /** What the file is to import: `import Foo`, one a line. */
  readonly importLines: readonly string[];
  /** Whether the file marks grown theorems for `simp` and `grind`; missing: it does not. */
  readonly marksTheorems?: boolean;
}
