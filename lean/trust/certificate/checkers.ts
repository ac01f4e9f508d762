/** The checkers of a certificate beyond our own reading of the object, in the order in which they are asked. */
import type { StatedTheorem } from '../object/stated-module.ts';
import type { Checker } from './checker.ts';
import { comparator } from './comparator.ts';
import { leanchecker } from './leanchecker.ts';
import { nanoda } from './nanoda.ts';

/** Those that put every declaration through a kernel: one of them, or the second kernel, must have accepted a theorem. */
export const KERNELS: readonly string[] = ['leanchecker', 'lake comparator', 'nanoda'];

/** What a file of proofs was to prove. */
export interface CertificateTask {
  /** The theorems that were to be proved: all that the file is to hold. */
  readonly stated: readonly StatedTheorem[];
  /** What the file is to import: `import Foo`, one a line. */
  readonly importLines: readonly string[];
  /** The file with `sorry` for each proof. */
  readonly challenge: string;
}

/** `challenge`: the certified file with `sorry` for each proof. */
export function certificateCheckers(challenge: string): Checker[] {
  return [leanchecker, comparator(challenge), nanoda];
}
