/** The public report on a checked candidate: its verdict, axioms, checks, and why it is not proved. */
import type { CheckRecord } from '@stp/config/records';
import type { CheckResult } from '../../verifier.ts';

const MESSAGE_CHARS_MAX = 4_096;

/** The verdict on a row, as reported by `stp verify` and the service. */
export interface RowVerdict {
  readonly verdict: CheckResult['kind'];
  /** If the candidate is proved, all axioms that it depends on; otherwise the forbidden ones. */
  readonly axioms: readonly string[];
  /** If it is proved, one record per check of its module; otherwise empty. */
  readonly checks: readonly CheckRecord[];
  /** Why it is not proved: Lean's errors with their positions in the proof. Empty if it is. */
  readonly message: string;
}

export function rowVerdict(result: CheckResult): RowVerdict {
  const { kind, certificate, axioms } = result;
  return {
    verdict: kind,
    axioms: certificate?.axioms ?? axioms,
    checks: certificate?.checks ?? [],
    message: messageOf(result),
  };
}

/** Returns Lean's errors or, if there are none, all its messages. */
function messageOf({ kind, messages }: CheckResult): string {
  if (kind === 'proved') return '';
  const errors = messages.filter(({ severity }) => severity === 'error');
  const said = (errors.length > 0 ? errors : messages)
    .map(({ line, column, text }) => (line < 1 ? text : `${line}:${column}: ${text}`))
    .join('\n');
  return said.slice(0, MESSAGE_CHARS_MAX) || (kind === 'sorry' ? 'rests on `sorry`' : 'Lean does not say why');
}
