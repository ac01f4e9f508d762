/**
 * A kernel that puts every declaration of a compiled file through its rules once more, beside the Lean that compiled it and the
 * kernel of our own. Another one is added to the list in `checkers.ts`. Only what really looked and found nothing wrong counts
 * as `accepted`.
 */
import type { CheckOutcome } from '@stp/config/records';
import type { ProcessPlace } from '../../runtime/process/spawn.ts';

/** A module that one process compiled and nobody writes to any more. */
export interface CompiledFile {
  /** How processes that read it are to be started; its search path finds the module. */
  readonly place: ProcessPlace;
  readonly signal?: AbortSignal | undefined;
  /** Holds `<module>.olean`. */
  readonly directory: string;
  readonly module: string;
  /** Full names of the theorems that were accepted so far; never empty. */
  readonly theorems: readonly string[];
  readonly memoryBytesMax: number;
}

export interface CheckerAnswer {
  /**
   * `accepted`: looked at every theorem and found nothing wrong. `refused`: found something. `declined`: says that it cannot
   * tell. `failed`: it did not end well, so nothing is known.
   */
  readonly outcome: Exclude<CheckOutcome, 'absent'>;
  /** Why it is not `accepted`; empty where it is. */
  readonly detail: string;
  /** The theorems that are refused or declined, where that is known, the others being accepted; else it may be any. */
  readonly theorems?: readonly string[];
}

export interface Checker {
  /** Whole words, such as `leanchecker`. */
  readonly name: string;
  /** Returns a name that tells one build of it from another; null if it is not on this machine. */
  version(place: ProcessPlace): Promise<string | null>;
  /** Rejects only with the signal's reason. */
  check(file: CompiledFile): Promise<CheckerAnswer>;
}
