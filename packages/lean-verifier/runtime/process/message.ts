/** The format and limits of one line of `lean --json`, and a reader that splits a byte stream into these lines. */

import type { LeanMessage } from '@stp/config/records';
import { z } from 'zod';

/**
 * Maximum bytes of a line that is kept whole. Lean prints goals, and a tactic can build a goal of any size. A longer
 * line keeps only its beginning and its end.
 */
export const MESSAGE_LENGTH_MAX = 1_048_576;
/** Longer messages are cut to this many characters, followed by `CUT_MARK`. */
export const CUT_LENGTH = 65_536;
export const CUT_MARK = ' … (cut)';
/** More than the bytes that follow a message's text: its end position, file name, position and severity. */
const END_BYTES = 16_384;
const positionSchema = z.object({ line: z.number().int(), column: z.number().int().nonnegative() });

const outputLineSchema = z.object({
  severity: z.enum(['error', 'warning', 'information']),
  pos: positionSchema,
  endPos: positionSchema.nullish(),
  data: z.string(),
});

/**
 * The end of the text that a message is about: line 1-based, column 0-based in code points. It is not stored in
 * records.
 */
export type MessageEnd = Readonly<z.infer<typeof positionSchema>>;

export interface MessageReader {
  /** Takes a chunk of the process's output. */
  push(chunk: Buffer): void;
}

/**
 * Calls `onMessage` for every message, with Lean's positions (line 1-based, column 0-based). The text is cut if its
 * line is longer than `MESSAGE_LENGTH_MAX`. Lines that are not messages are ignored.
 */
export function readMessages(onMessage: (message: LeanMessage, end: MessageEnd | null) => void): MessageReader {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  /** The first and the latest bytes of a line that is too long; null while the line is short. */
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

/** Returns a copy, so that the larger buffer can be freed. */
function lastOf(parts: readonly Buffer[]): Buffer {
  return Buffer.from(Buffer.concat(parts).subarray(-END_BYTES));
}

/** What follows the text: Lean writes its fields in alphabetical order, and quotes within the text are escaped. */
const BEHIND_TEXT = '","endPos":';

/** Returns the line without the middle of its text; empty if the line has another format. */
function shortened({ begin, end }: { readonly begin: Buffer; readonly end: Buffer }): string {
  const rest = end.toString('utf8').trimEnd();
  const behind = rest.lastIndexOf(BEHIND_TEXT);
  return behind < 0 ? '' : `${whole(begin.toString('utf8'))}${CUT_MARK}${rest.slice(behind)}`;
}

/** Removes a multi-byte character or an escape that was cut in the middle. */
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
