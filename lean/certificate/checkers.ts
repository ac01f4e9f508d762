/** The checks of a certificate beyond Lean's own word, in the order in which they are made. */
import type { Checker } from './checker.ts';
import { comparator } from './comparator.ts';
import { leanchecker } from './leanchecker.ts';
import { nanoda } from './nanoda.ts';
import { secondKernel } from './second-kernel.ts';
import type { StatedTheorem } from './stated-module.ts';
import { statementIdentity } from './statement-identity.ts';

export interface CertificateTask {
  /** What the theorems of the file were to be. */
  readonly stated: readonly StatedTheorem[];
  /** The file with `sorry` for each proof. */
  readonly challenge: string;
}

/** `disagreements`: folder for modules that two kernels disagree on; null keeps none. */
export function certificateCheckers(
  { stated, challenge }: CertificateTask,
  disagreements: string | null = null,
): Checker[] {
  return [statementIdentity(stated), leanchecker, comparator(challenge), nanoda, secondKernel(disagreements)];
}
