/**
 * The text of a state, and what Lean's messages about it mean. The tactic block is the body of the theorem and nothing
 * stands after it: in that form Lean keeps what it knows after every tactic, so that a changed tail alone is elaborated.
 */
import type { LeanMessage, VerdictKind } from '@stp/config/records';
import { HEARTBEATS_USED, implicitLines } from '@stp/lean-verifier';

export interface StepGoal {
  readonly header: string;
  /** Null where the caller gave none: the verifier knows its own. */
  readonly headerGiven: string | null;
  readonly statement: string;
  /** Everything after the theorem's name. */
  readonly signature: string;
  /** That the theorem's own name opens; empty where it opens none. */
  readonly namespace: string;
  /** No name that a tactic could guess. */
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
  /** Text below the header. Ends with a line feed; a longer block begins with it. */
  readonly body: string;
  /** 1-based lines of the whole text. */
  readonly byLine: number;
  readonly byColumn: number;
  /** First line of the last tactic. */
  readonly lastFirst: number;
  /** The line below the block, where the goals after it are. */
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

/** Reads the state after the block from the messages of the whole text. */
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
 * Returns whether a message is Lean's about the theorem as a whole where its block ends with goals left. Of a block within it,
 * it is an error.
 */
function isOpen({ text, line, column }: LeanMessage, byLine: number, byColumn: number): boolean {
  return line === byLine && column === byColumn && UNSOLVED.test(text);
}

/** Messages about the last tactic, placed in it. */
export function messagesOfLast(messages: readonly LeanMessage[], text: StateText, last: LaidOut): LeanMessage[] {
  return messages
    .filter((message) => message.line >= text.lastFirst && !isOpen(message, text.byLine, text.byColumn))
    .map((message) => ({
      ...message,
      line: message.line - text.lastFirst + 1 + last.linesDropped,
      column: Math.max(0, message.column - last.columnsAdded),
    }));
}
