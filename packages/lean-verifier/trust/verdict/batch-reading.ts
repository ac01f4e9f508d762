/**
 * Turns the messages on one candidate's lines into the result for this candidate. Pure; knows nothing about processes.
 */
import type { LeanMessage, VerdictKind } from '@stp/config/records';
import { isSorry, parseAxioms } from './axioms.ts';
import type { EntryLines } from './batch-source.ts';

/** As in `verdictSchema` and `leanMessageSchema`. */
const MESSAGES_MAX = 8;
const TEXT_CHARS_MAX = 4_096;

export type Reading =
  /** Lean accepted it and it rests on these axioms; whether they are allowed is decided elsewhere. */
  | { readonly kind: 'unrefuted'; readonly axioms: readonly string[] }
  | { readonly kind: VerdictKind; readonly messages: readonly LeanMessage[] }
  /** The messages fit no candidate of this file: check it alone. */
  | { readonly kind: 'unclear' };

/** Lean's message when `maxHeartbeats` is used up. */
export const HEARTBEATS_USED = /^\((?:deterministic|kernel)\) (?:deterministic )?timeout|maximum number of heartbeats/;
/** These follow from a block that was cut short, so they do not decide by themselves. */
const CONSEQUENCE = /^unsolved goals/;
const USES_SORRY = /^declaration uses [`']sorry[`']/;

/** Our name for a statement that Lean did not make a constant of. */
const LEFT_OUT = /identifier `_root_\._stp[0-9a-f]+_statement/u;
const DROPPED = 'Lean drops it without a word, as it does where the header declares no universe for a variable’s type';

/** `messages` are those with a line in [lines.first, lines.last]. */
export function readEntry(messages: readonly LeanMessage[], lines: EntryLines, axiomsIn = parseAxioms): Reading {
  const errors = messages.filter((message) => message.severity === 'error');
  if (errors.some((error) => error.line < lines.theorem)) return aboutStatement(errors, lines);
  const exhausted = errors.some((error) => HEARTBEATS_USED.test(error.text));
  const decisive = errors.filter((error) => !HEARTBEATS_USED.test(error.text) && !CONSEQUENCE.test(error.text));
  const isOwn = (error: LeanMessage): boolean => error.line < lines.check;
  if (exhausted && !decisive.some(isOwn)) return { kind: 'timeout', messages: cut(errors, lines) };
  // Where Lean gave up on the theorem altogether, our check of it says that it is unknown; that is nothing about the proof.
  const own = errors.filter(isOwn);
  if (own.length > 0) return { kind: 'rejected', messages: cut(own, lines) };
  const usesSorry = ({ severity, text, line }: LeanMessage): boolean =>
    severity === 'warning' && line >= lines.theorem && USES_SORRY.test(text);
  if (messages.some(usesSorry)) {
    return { kind: 'sorry', messages: cut(messages, lines) };
  }
  if (errors.length > 0) return { kind: 'unclear' };
  const answers = messages.filter((message) => message.line === lines.last && message.column === 0);
  const axioms = answers.length === 1 && answers[0]!.severity === 'information' ? axiomsIn(answers[0]!.text) : null;
  if (axioms === null) return { kind: 'unclear' };
  return isSorry(axioms) ? { kind: 'sorry', messages: [] } : { kind: 'unrefuted', axioms };
}

/** For `judgedSource`. */
export const readJudged = (messages: readonly LeanMessage[], lines: EntryLines): Reading =>
  readEntry(messages, lines, () => []);

/**
 * For `objectSource`. What is not about the tactic block may be about the statement, which is not told apart here, so that nothing is
 * read from it. An open goal of the whole block is told where the block begins.
 */
export function readWritten(messages: readonly LeanMessage[], lines: EntryLines): Reading {
  const isAbove = ({ severity, line, text }: LeanMessage): boolean =>
    severity === 'error' && line < lines.proof && !CONSEQUENCE.test(text);
  return messages.some(isAbove) ? { kind: 'unclear' } : readJudged(messages, lines);
}

/**
 * The statement is ours, so if it does not elaborate, the proof is not at fault; one that uses up its heartbeats may get more.
 * Lines count from the statement's first.
 */
function aboutStatement(errors: readonly LeanMessage[], lines: EntryLines): Reading {
  const own = errors.filter((error) => error.line < lines.theorem);
  const kind = own.every(({ text }) => HEARTBEATS_USED.test(text)) ? 'timeout' : 'header_error';
  const texts = own.map((error) => ({
    ...error,
    text: `the statement: ${LEFT_OUT.test(error.text) ? DROPPED : error.text}`,
  }));
  return { kind, messages: cut(texts, { proof: lines.first }) };
}

/** Errors first, lines counted from the tactic block's first, texts and list cut to what a record holds. */
export function cut(messages: readonly LeanMessage[], lines: { proof: number }): LeanMessage[] {
  return messages
    .toSorted((left, right) => Number(right.severity === 'error') - Number(left.severity === 'error'))
    .slice(0, MESSAGES_MAX)
    .map((message) => ({
      ...message,
      line: message.line - lines.proof + 1,
      text: message.text.slice(0, TEXT_CHARS_MAX),
    }));
}
