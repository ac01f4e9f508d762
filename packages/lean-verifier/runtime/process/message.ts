/** One line of `lean --json`: its shape, its limits, and the reader that splits a byte stream into such lines. */

import type { LeanMessage } from '@stp/config/records';
import { z } from 'zod';

/**
 * Longest message that is read whole, in bytes of its line: a tactic can build a goal of any size, and Lean prints it. A longer
 * line keeps its beginning and its end.
 */
export const MESSAGE_LENGTH_MAX = 1_048_576;
/** A longer message is cut to this many characters, with a mark behind them. */
export const CUT_LENGTH = 65_536;
export const CUT_MARK = ' … (cut)';
/** More than Lean writes behind a message's text: where it ends, the file's name, the place, the severity. */
const END_BYTES = 16_384;
const positionSchema = z.object({ line: z.number().int(), column: z.number().int().nonnegative() });

const outputLineSchema = z.object({
  severity: z.enum(['error', 'warning', 'information']),
  pos: positionSchema,
  endPos: positionSchema.nullish(),
  data: z.string(),
});

/** Where the text that a message is about ends: line 1-based, column 0-based in code points. No record keeps it. */
export type MessageEnd = Readonly<z.infer<typeof positionSchema>>;

export interface MessageReader {
  /** Takes what the process wrote. */
  push(chunk: Buffer): void;
}

/**
 * Calls `onMessage` for every message, its position as Lean gives it (line 1-based, column 0-based). The text is cut where the line is
 * longer than a megabyte. What is no message is passed by.
 */
export function readMessages(onMessage: (message: LeanMessage, end: MessageEnd | null) => void): MessageReader {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  /** The begin and the latest end of a line that is too long; null: the line is short yet. */
  let long: { readonly begin: Buffer; end: Buffer } | null = null;

  function add(part: Buffer): void {
    if (long !== null) {
      long.end = lastOf([long.end, part]);
      return;
    }
    pending.push(part);
    pendingBytes += part.length;
    if (pendingBytes <= MESSAGE_LENGTH_MAX) return;
    const line = Buffer.concat(pending);
    long = { begin: Buffer.from(line.subarray(0, CUT_LENGTH)), end: lastOf([line]) };
    pending = [];
  }

  function endLine(): void {
    const line = long === null ? Buffer.concat(pending).toString('utf8').trim() : shortened(long);
    pending = [];
    pendingBytes = 0;
    long = null;
    const parsed = line === '' ? null : parseMessage(line);
    if (parsed !== null) onMessage(parsed.message, parsed.end);
  }

  return {
    push(chunk) {
      for (let start = 0; start < chunk.length; ) {
        const found = chunk.indexOf(0x0a, start);
        const end = found < 0 ? chunk.length : found;
        add(chunk.subarray(start, end));
        if (found >= 0) endLine();
        start = end + 1;
      }
    },
  };
}

/** A copy, so that no larger buffer stays. */
function lastOf(parts: readonly Buffer[]): Buffer {
  return Buffer.from(Buffer.concat(parts).subarray(-END_BYTES));
}

/** Behind the text, as Lean writes its fields in the order of their names; within the text the quotes are escaped. */
const BEHIND_TEXT = '","endPos":';

/** The line without the middle of the message's text; empty where it has another form. */
function shortened({ begin, end }: { readonly begin: Buffer; readonly end: Buffer }): string {
  const rest = end.toString('utf8').trimEnd();
  const behind = rest.lastIndexOf(BEHIND_TEXT);
  return behind < 0 ? '' : `${whole(begin.toString('utf8'))}${CUT_MARK}${rest.slice(behind)}`;
}

/** Without a character of several bytes, or an escape, that was cut through. */
function whole(begin: string): string {
  let end = begin.length;
  while (end > 0 && begin[end - 1] === '\uFFFD') end -= 1;
  const behindEscape = end - /(?:u[\da-fA-F]{0,3})?$/u.exec(begin.slice(end - 4, end))![0].length;
  let slash = behindEscape;
  while (slash > 0 && begin[slash - 1] === '\\') slash -= 1;
  return begin.slice(0, (behindEscape - slash) % 2 === 1 ? behindEscape - 1 : end);
}

function parseMessage(line: string): { message: LeanMessage; end: MessageEnd | null } | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const parsed = outputLineSchema.safeParse(value);
  if (!parsed.success) return null;
  const { severity, pos, endPos = null, data } = parsed.data;
  return { message: { severity, line: pos.line, column: pos.column, text: data }, end: endPos };
}
