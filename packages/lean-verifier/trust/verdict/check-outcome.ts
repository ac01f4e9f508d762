/** The result for an entry after its check, and the meaning of a process's end for the entry in progress. */
import type { LeanMessage, VerdictKind } from '@stp/config/records';
import type { LeanExit } from '../../runtime/process/spawn.ts';
import type { RunModule } from '../object/run-objects.ts';
import { cut } from './batch-reading.ts';

/**
 * Costs: time in Lean and time until a process was free, both in ms, and the peak memory of a process that ran the
 * entry alone.
 */
export interface OutcomeCosts {
  readonly checkMs: number;
  readonly queueMs: number;
  readonly peakResidentBytes?: number;
}

export interface Written {
  readonly module: RunModule;
  /** Index among the module's theorems. */
  readonly index: number;
}

/** Facts about an entry before its axioms are judged. */
export type Outcome = OutcomeCosts &
  (
    | {
        readonly kind: 'unrefuted';
        readonly axioms: readonly string[];
        /** The module that the entry's run wrote, and the entry's index in it. */
        readonly written?: Written;
      }
    | { readonly kind: VerdictKind; readonly messages: readonly LeanMessage[] }
  );

/** An outcome without its costs. */
export type Finding = { readonly kind: VerdictKind; readonly messages: readonly LeanMessage[] };

/** Returns the finding about an entry during whose check, alone in a process, the process ended like this. */
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
      // On standard error Lean reports what it could not do, such as starting a thread, and then ends as after an error
      // in the text.
      return said === ''
        ? { kind: 'rejected', messages: [note('Lean did not reach the end of the proof')] }
        : { kind: 'crash', messages: [note(`Lean did not reach the end of the proof: ${said}`)] };
    case 'not-started':
      return notStarted(exit);
  }
}

/**
 * Returns the finding about a header under which Lean did not start. With definitions, Lean may have been elaborating
 * these when time or memory ran out.
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
