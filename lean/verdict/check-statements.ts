/**
 * Do untrusted statements elaborate to propositions? Each is stated as an axiom of a name of ours and then used as
 * `example : Prop := type_of% @NAME`; nothing is left open (no variable is bound that the text does not bind, and Lean
 * itself refuses an axiom with an unsolved part). The screen has seen to it that the text is one signature.
 */
import { randomBytes } from 'node:crypto';
import type { LeanMessage } from '../../data/schemas/records.ts';
import { allEnded } from '../process/all-ended.ts';
import { commandOptions } from '../process/command-options.ts';
import { runLean } from '../process/lean-process.ts';
import { screenHeader } from '../screen/screen-header.ts';
import { screenStatement } from '../screen/screen-statement.ts';
import type { StatementResult } from '../verifier.ts';
import { cut, HEARTBEATS_USED } from './batch-reading.ts';
import { optionLines, START_MARK } from './batch-source.ts';
import type { VerifierState } from './check-candidates.ts';
import { HEADER_TIMEOUT_MS, type Limits } from './limits.ts';

type Input = { readonly id: string; readonly header: string | null; readonly statement: string };
type Judged = Omit<StatementResult, 'id'>;
interface Work {
  readonly index: number;
  readonly header: string;
  readonly signature: string;
}

export async function checkStatementBatch(
  state: VerifierState,
  statements: readonly Input[],
  signal: AbortSignal,
): Promise<readonly StatementResult[]> {
  signal.throwIfAborted();
  const results: StatementResult[] = new Array(statements.length);
  const report = (index: number, judged: Judged): void => {
    results[index] = { id: statements[index]!.id, ...judged };
  };
  const works: Work[] = [];
  for (const [index, input] of statements.entries()) {
    const header = input.header ?? state.libraryHeader;
    const reason = input.header === null ? null : screenHeader(input.header);
    const screened = screenStatement(input.statement);
    if (reason !== null) report(index, failure('header_error', reason));
    else if (screened.accepted) works.push({ index, header, signature: screened.signature });
    else {
      const { line, column, reason: text } = screened.refusal;
      report(index, { kind: 'forbidden', messages: [{ severity: 'error', line, column, text }] });
    }
  }
  const groups = [...Map.groupBy(works, (work) => work.header).values()].flatMap((group) => {
    const size = Math.max(1, Math.min(state.batchSize, Math.ceil(group.length / state.processes)));
    return Array.from({ length: Math.ceil(group.length / size) }, (_, index) =>
      group.slice(index * size, (index + 1) * size),
    );
  });
  await allEnded(groups.map((group) => checkGroup(state, group, signal, report)));
  return results;
}

/** Goes on after a statement at which the process ended, and looks at that one alone. */
async function checkGroup(
  state: VerifierState,
  group: readonly Work[],
  signal: AbortSignal,
  report: (index: number, judged: Judged) => void,
): Promise<void> {
  for (let next = 0; next < group.length; ) {
    const rest = group.slice(next);
    const judged = await runStatements(state, rest, state.limits.small, signal);
    for (const [offset, one] of judged.entries()) report(rest[offset]!.index, one);
    next += judged.length;
    if (judged.length === rest.length) return;
    const stuck = rest[judged.length]!;
    const [alone] = await runStatements(state, [stuck], state.limits.big, signal, true);
    report(stuck.index, alone!);
    next += 1;
  }
}

/** Judgements of the first statements, in order; all of them where `last`, which turns the end of the process into one. */
async function runStatements(
  state: VerifierState,
  works: readonly Work[],
  limits: Limits,
  signal: AbortSignal,
  last = false,
): Promise<Judged[]> {
  const nonce = randomBytes(8).toString('hex');
  const lines = [...works[0]!.header.split('\n'), ...optionLines(limits), START_MARK];
  const startLine = lines.length;
  const places = works.map(({ signature }, index) => {
    const first = lines.length + 1;
    lines.push(...`axiom _stp${nonce}_statement${index}${signature}`.split('\n'));
    lines.push(`example : Prop := type_of% @_stp${nonce}_statement${index}`, START_MARK);
    return { first, last: lines.length };
  });
  const messages: LeanMessage[] = [];
  let done = -1;
  const exit = await state.slots.run(async () =>
    runLean({
      ...state.processOptions,
      arguments: await commandOptions(state.processOptions),
      input: `${lines.join('\n')}\n`,
      deadlineMs: HEADER_TIMEOUT_MS,
      memoryBytesMax: limits.memoryBytesMax,
      signal,
      onMessage: (message, allow) => {
        messages.push(message);
        const mark = done < 0 ? startLine : places[done]?.last;
        if (message.line !== mark || message.column !== 0) return;
        done += 1;
        allow(limits.candidateTimeoutMs);
      },
    }),
  );
  const headerErrors = messages.filter((message) => message.severity === 'error' && message.line <= startLine);
  if (headerErrors.length > 0 && exit.how === 'finished') {
    return works.map(() => ({ kind: 'header_error', messages: cut(headerErrors, { proof: 1 }) }));
  }
  if (done < 0)
    return works.map(() => failure('infra', `Lean did not start (${exit.how}): ${exit.stderr.slice(-400)}`));
  const judged = places.slice(0, done).map((place) => judge(messages, place));
  if (!last || judged.length > 0) return judged;
  const ended = `Lean ended (${exit.how}) at the statement`;
  return [failure(exit.how === 'deadline' ? 'timeout' : exit.how === 'finished' ? 'rejected' : 'crash', ended)];
}

function judge(messages: readonly LeanMessage[], place: { first: number; last: number }): Judged {
  const own = messages.filter((message) => message.line >= place.first && message.line <= place.last);
  const errors = own.filter((message) => message.severity === 'error');
  if (errors.length === 0) return { kind: 'accepted', messages: [] };
  const kind = errors.some((error) => HEARTBEATS_USED.test(error.text)) ? 'timeout' : 'rejected';
  const about = errors.filter((error) => error.line < place.last - 1);
  return { kind, messages: cut(about.length > 0 ? about : errors, { proof: place.first }) };
}

function failure(kind: StatementResult['kind'], text: string): Judged {
  return { kind, messages: [{ severity: 'error', line: 0, column: 0, text }] };
}
