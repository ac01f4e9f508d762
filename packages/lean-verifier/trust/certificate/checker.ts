/**
 * A checker is a kernel that checks every declaration of a compiled module again, in addition to the Lean that compiled
 * it and our second kernel. `checkers.ts` lists the checkers. `accepted` means that the checker examined the module and
 * found nothing wrong.
 */
import type { CheckOutcome } from '@stp/config/records';
import type { ProcessContext } from '../../runtime/process/spawn.ts';

/** A compiled module that no process writes to any more. */
export interface CompiledFile {
  /** How to start processes that read the module. The search path includes the module. */
  readonly processContext: ProcessContext;
  readonly signal?: AbortSignal | undefined;
  /** Folder that contains `<module>.olean`. */
  readonly directory: string;
  readonly module: string;
  /** Full names of the theorems that were accepted so far; never empty. */
  readonly theorems: readonly string[];
  readonly memoryBytesMax: number;
}

export interface CheckerAnswer {
  /**
   * `accepted`: examined every theorem and found nothing wrong. `refused`: found an error. `declined`: could not
   * decide. `failed`: did not finish, so nothing is known.
   */
  readonly outcome: Exclude<CheckOutcome, 'absent'>;
  /** Why the outcome is not `accepted`; empty if it is. */
  readonly detail: string;
  /** The theorems that are refused or declined; all others are accepted. Missing: it may be any of them. */
  readonly theorems?: readonly string[];
}

export interface Checker {
  /** Name for people, such as `leanchecker`. */
  readonly name: string;
  /** Returns a name that identifies this build of the checker; null if it is not installed. */
  version(processContext: ProcessContext): Promise<string | null>;
  /** Rejects only with the signal's reason. */
  check(file: CompiledFile): Promise<CheckerAnswer>;
}
