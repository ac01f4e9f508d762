/**
 * Tests whether untrusted statements elaborate to propositions. Each is stated under our name and then used as `example
 * : Prop := type_of% @NAME`. Automatic binding of variables is off, and Lean refuses an axiom with unsolved parts. The
 * screen has ensured that the text is a single signature.
 */
import type { LeanMessage } from '@stp/config/records';
import type { CheckOptions, StatementResult } from '../../verifier.ts';
import { namesBoundIn } from '../screen/local-names.ts';
import { screenHeader } from '../screen/screen-header.ts';
import { screenStatement } from '../screen/screen-statement.ts';
import { statedLines } from '../stated-form.ts';
import { cut, HEARTBEATS_USED, type Reading } from './batch-reading.ts';
import { type BatchEntry, type BatchSource, type EntryLines, openingLines, START_MARK } from './batch-source.ts';
import type { VerifierState } from './check-candidates.ts';
import { type CheckEntry, checkEntries } from './check-entries.ts';
import { note, type Outcome } from './check-outcome.ts';
import type { Limits } from './limits.ts';
import type { BatchForm } from './run-batch.ts';

type Input = { readonly id: string; readonly header: string | null; readonly statement: string };
type Judged = Omit<StatementResult, 'id'>;
interface Work extends CheckEntry {
  readonly index: number;
}

const STATEMENTS: BatchForm = { source: statementSource, read: readStatement };

export async function checkStatementBatch(
  state: VerifierState,
  statements: readonly Input[],
  { heartbeatsMax }: Pick<CheckOptions, 'heartbeatsMax'>,
  signal: AbortSignal,
): Promise<readonly StatementResult[]> {
  signal.throwIfAborted();
  const results: StatementResult[] = new Array(statements.length);
  const report = (index: number, judged: Judged): void => {
    results[index] = { id: statements[index]!.id, ...judged };
  };
  const works: Work[] = [];
  for (const [index, input] of statements.entries()) {
    const header = input.header === null ? null : screenHeader(input.header);
    const screened = screenStatement(input.statement, namesBoundIn(input.header));
    if (header?.accepted === false) report(index, { kind: 'header_error', messages: [note(header.reason)] });
    else if (screened.accepted) {
      const text = header?.text ?? state.libraryHeader;
      const { signature, namespace } = screened;
      works.push({ index, header: text, signature, namespace, proofText: '' });
    } else {
      const { line, column, reason: text } = screened.refusal;
      report(index, { kind: 'forbidden', messages: [{ severity: 'error', line, column, text }] });
    }
  }
  const { pool, entriesPerRun } = state;
  const limits = state.limits({ heartbeatsMax });
  const look = { smallLimitsOnly: false, alone: false, form: STATEMENTS };
  await checkEntries({ pool, ...limits, ...look, entriesPerRun, signal }, works, ({ index }, outcome) =>
    report(index, judge(outcome)),
  );
  return results;
}

function statementSource(header: string, entries: readonly BatchEntry[], nonce: string, limits: Limits): BatchSource {
  const lines = openingLines(header, limits);
  const startLine = lines.length;
  const located = entries.map((entry, index): EntryLines => {
    const first = lines.length + 1;
    const name = `_stp${nonce}_statement${index}`;
    lines.push(...statedLines(name, entry, header));
    const check = lines.length + 1;
    lines.push(`example : Prop := type_of% @_root_.${name}`, START_MARK);
    return { first, theorem: first, proof: first, check, last: lines.length };
  });
  return { body: `${lines.slice(header.split('\n').length).join('\n')}\n`, startLine, entries: located };
}

/**
 * Reads the messages about a statement. If it elaborates, the result is `unrefuted`, which does not claim that it is
 * true.
 */
function readStatement(messages: readonly LeanMessage[], lines: EntryLines): Reading {
  const errors = messages.filter((message) => message.severity === 'error');
  if (errors.length === 0) return { kind: 'unrefuted', axioms: [] };
  const kind = errors.some((error) => HEARTBEATS_USED.test(error.text)) ? 'timeout' : 'rejected';
  const about = errors.filter((error) => error.line < lines.check);
  return { kind, messages: cut(about.length > 0 ? about : errors, lines) };
}

function judge(outcome: Outcome): Judged {
  if ('axioms' in outcome) return { kind: 'accepted', messages: [] };
  const { kind, messages } = outcome;
  switch (kind) {
    case 'rejected':
    case 'timeout':
    case 'crash':
    case 'header_error':
    case 'infra':
      return { kind, messages };
    // Exhausted memory ends the process, like a crash.
    case 'oom':
      return { kind: 'crash', messages };
    case 'proved':
    case 'sorry':
    case 'forbidden':
    case 'no_proof':
    case 'changed_statement':
      return { kind: 'rejected', messages };
  }
}
