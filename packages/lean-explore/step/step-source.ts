/**
 * The text of a state, and the meaning of Lean's messages about it. The tactic block is the theorem's body and ends the
 * text: in that form Lean keeps its state after every tactic, and elaborates only a changed tail.
 */
import type { LeanMessage, VerdictKind } from '@stp/config/records';
import { HEARTBEATS_USED, implicitLines } from '@stp/lean-verifier';

export interface StepGoal {
  readonly header: string;
  /** Null if the caller gave none; the verifier has a default. */
  readonly headerGiven: string | null;
  readonly statement: string;
  /** Text after the theorem's name. */
  readonly signature: string;
  /** The namespace that the theorem's name opens; empty if none. */
  readonly namespace: string;
  /** A name that no tactic can guess. */
  readonly name: string;
  readonly heartbeatsMax: number;
}

/** A tactic as it stands in the block. */
export interface LaidOut {
  readonly text: string;
  readonly linesDropped: number;
  readonly columnsAdded: number;
}

export interface StateText {
  /** Text below the header. It ends with a line feed, and is a prefix of longer blocks. */
  readonly body: string;
  /** 1-based line of the `by` in the whole text; `byColumn` is its column. */
  readonly byLine: number;
  readonly byColumn: number;
  /** First line of the last tactic. */
  readonly lastFirst: number;
  /** The line below the block, at which the goals after the block are found. */
  readonly end: number;
}

export function stateText(goal: StepGoal, tactics: readonly string[]): StateText {
  const headerLines = goal.header.split('\n').length;
  const lines = [
    ...implicitLines(goal.header),
    'set_option linter.all false',
    `set_option maxHeartbeats ${goal.heartbeatsMax}`,
    ...(goal.namespace === '' ? [] : [`namespace ${goal.namespace}`]),
    ...`theorem _root_.${goal.name}${goal.signature}`.split('\n'),
    ':= by',
  ];
  const byLine = headerLines + lines.length;
  const last = tactics.at(-1)?.split('\n').length ?? 0;
  lines.push(...tactics.flatMap((tactic) => tactic.split('\n')));
  const end = headerLines + lines.length + 1;
  return { body: `${lines.join('\n')}\n`, byLine, byColumn: ':= '.length, lastFirst: end - last, end };
}

export type StateReading =
  | { readonly kind: 'open' | 'done' }
  | { readonly kind: 'invalid'; readonly why: Exclude<VerdictKind, 'proved'> };

export const UNSOLVED = /^unsolved goals/;
export const USES_SORRY = /^declaration uses [`']sorry[`']/;

/** Determines the state after the block from the messages about the whole text. */
export function readState(messages: readonly LeanMessage[], { byLine, byColumn }: StateText): StateReading {
  const errors = messages.filter(({ severity }) => severity === 'error');
  if (errors.some(({ line }) => line < byLine)) return { kind: 'invalid', why: 'header_error' };
  const wrong = errors.filter((error) => !isOpen(error, byLine, byColumn));
  if (wrong.some(({ text }) => HEARTBEATS_USED.test(text))) return { kind: 'invalid', why: 'timeout' };
  if (wrong.length > 0) return { kind: 'invalid', why: 'rejected' };
  if (messages.some(({ severity, text }) => severity === 'warning' && USES_SORRY.test(text))) {
    return { kind: 'invalid', why: 'sorry' };
  }
  return { kind: errors.length > 0 ? 'open' : 'done' };
}

/**
 * Whether a message is Lean's report of goals that remain at the end of the theorem's block. For an inner block the
 * same message is an error.
 */
function isOpen({ text, line, column }: LeanMessage, byLine: number, byColumn: number): boolean {
  return line === byLine && column === byColumn && UNSOLVED.test(text);
}

/** Returns the messages about the last tactic, with positions in that tactic. */
export function messagesOfLast(messages: readonly LeanMessage[], text: StateText, last: LaidOut): LeanMessage[] {
  return messages
    .filter((message) => message.line >= text.lastFirst && !isOpen(message, text.byLine, text.byColumn))
    .map((message) => ({
      ...message,
      line: message.line - text.lastFirst + 1 + last.linesDropped,
      column: Math.max(0, message.column - last.columnsAdded),
    }));
}
