/** Converts the messages on one candidate's lines to the result for this candidate. Pure functions. */
import type { LeanMessage, VerdictKind } from '@stp/config/records';
import { isSorry, parseAxioms } from './axioms.ts';
import type { EntryLines } from './batch-source.ts';

/** The same limits as in `verdictSchema` and `leanMessageSchema`. */
const MESSAGES_MAX = 8;
const TEXT_CHARS_MAX = 4_096;

export type Reading =
  /** Lean accepted the proof, which depends on these axioms. Other code decides whether they are allowed. */
  | { readonly kind: 'unrefuted'; readonly axioms: readonly string[] }
  | { readonly kind: VerdictKind; readonly messages: readonly LeanMessage[] }
  /** The messages fit no candidate of this file, so the candidate must be checked alone. */
  | { readonly kind: 'unclear' };

/** Matches Lean's message when `maxHeartbeats` is used up. */
export const HEARTBEATS_USED = /^\((?:deterministic|kernel)\) (?:deterministic )?timeout|maximum number of heartbeats/;
/** Matches errors that follow from a block that was cut short, so they do not decide alone. */
const CONSEQUENCE = /^unsolved goals/;
const USES_SORRY = /^declaration uses [`']sorry[`']/;

/** Matches our name of a statement for which Lean made no constant. */
const LEFT_OUT = /identifier `_root_\._stp[0-9a-f]+_statement/u;
const DROPPED = 'Lean drops it without a word, as it does where the header declares no universe for a variable’s type';

/** `messages` are those on the lines from `lines.first` to `lines.last`. */
export function readEntry(messages: readonly LeanMessage[], lines: EntryLines, axiomsIn = parseAxioms): Reading {
  const errors = messages.filter((message) => message.severity === 'error');
  if (errors.some((error) => error.line < lines.theorem)) return aboutStatement(errors, lines);
  const exhausted = errors.some((error) => HEARTBEATS_USED.test(error.text));
  const decisive = errors.filter((error) => !HEARTBEATS_USED.test(error.text) && !CONSEQUENCE.test(error.text));
  const isOwn = (error: LeanMessage): boolean => error.line < lines.check;
  if (exhausted && !decisive.some(isOwn)) return { kind: 'timeout', messages: cut(errors, lines) };
  // If Lean abandoned the theorem, our check reports an unknown name, which says nothing about the proof.
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

/** Reads results of `judgedSource`. */
export const readJudged = (messages: readonly LeanMessage[], lines: EntryLines): Reading =>
  readEntry(messages, lines, () => []);

/**
 * Reads results of `objectSource`. A message outside the tactic block may concern the statement, which cannot be told
 * apart here, so such messages give no result. Lean reports an open goal of the whole block at the beginning of the
 * block.
 */
export function readWritten(messages: readonly LeanMessage[], lines: EntryLines): Reading {
  const isAbove = ({ severity, line, text }: LeanMessage): boolean =>
    severity === 'error' && line < lines.proof && !CONSEQUENCE.test(text);
  return messages.some(isAbove) ? { kind: 'unclear' } : readJudged(messages, lines);
}

/**
 * Reads errors in the statement. The statement is ours, so if it does not elaborate, the proof is not at fault. If it
 * uses up its heartbeats, it may be tried with more. Lines count from the statement's first line.
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

/**
 * Returns errors first, with lines counted from the tactic block's first line, and cuts texts and list to the limits of
 * a record.
 */
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
