/** The result for an entry when Lean is done with it, and the meaning of a process's end for the entry in progress. */
import type { LeanMessage, VerdictKind } from '@stp/config/records';
import type { LeanExit } from '../../runtime/process/spawn.ts';
import type { RunModule } from '../object/run-objects.ts';
import { cut } from './batch-reading.ts';

/** The costs: time in Lean, time until a process was free, both ms, and the most memory of a process that ran it alone. */
export interface OutcomeCosts {
  readonly checkMs: number;
  readonly queueMs: number;
  readonly peakResidentBytes?: number;
}

/** A proof in a module that is there already. */
export interface Written {
  readonly module: RunModule;
  /** Among the module's theorems. */
  readonly place: number;
}

/** Facts about an entry before its axioms are judged. */
export type Outcome = OutcomeCosts &
  (
    | {
        readonly kind: 'unrefuted';
        readonly axioms: readonly string[];
        /** In the module that its run left, with its place among those of the run. */
        readonly written?: Written;
      }
    | { readonly kind: VerdictKind; readonly messages: readonly LeanMessage[] }
  );

/** An outcome without its costs. */
export type Finding = { readonly kind: VerdictKind; readonly messages: readonly LeanMessage[] };

/** Returns the finding about an entry that was checked alone in a process that ended so. */
export function endedEarly(exit: LeanExit): Finding {
  const said = exit.stderr.trim().slice(-400);
  switch (exit.how) {
    case 'deadline':
      return { kind: 'timeout', messages: [note('Lean was stopped at the time limit')] };
    case 'memory':
      return { kind: 'oom', messages: [note('Lean was stopped at the memory limit')] };
    case 'output':
      return { kind: 'oom', messages: [note('Lean printed more than is read')] };
    case 'crashed':
      return { kind: 'crash', messages: [note(`Lean ended by ${exit.signal ?? `exit code ${exit.code}`}: ${said}`)] };
    case 'finished':
      // What Lean could not do, such as to start a thread, it says there, and ends like one that has read an error.
      return said === ''
        ? { kind: 'rejected', messages: [note('Lean did not reach the end of the proof')] }
        : { kind: 'crash', messages: [note(`Lean did not reach the end of the proof: ${said}`)] };
    case 'not-started':
      return notStarted(exit);
  }
}

/**
 * Returns the finding about a header that was not started. With definitions, these may be what Lean was at when its time or its
 * memory was used up.
 */
export function notStarted(exit: LeanExit, hasDefinitions = false): Finding {
  if (hasDefinitions && (exit.how === 'deadline' || exit.how === 'memory'))
    return headerError([note(`Lean did not come to the end of the header's definitions (${exit.how})`)]);
  return infra(`Lean did not start (${exit.how}): ${exit.stderr.trim().slice(-400)}`);
}

export function infra(text: string): Finding {
  return { kind: 'infra', messages: [note(text)] };
}

export function headerError(messages: readonly LeanMessage[]): Finding {
  return { kind: 'header_error', messages: cut(messages, { proof: 1 }) };
}

export function note(text: string): LeanMessage {
  return { severity: 'error', line: 0, column: 0, text };
}
