/** One line of `lean --json`: its shape, its limits, and the reader that splits a byte stream into such lines. */

import type { LeanMessage } from '@stp/config/records';
import { z } from 'zod';

/** A longer line is dropped and counted: Lean prints a goal of any size a tactic builds. */
const LINE_BYTES_MAX = 1_048_576;
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
  /** Lines that were too long or no message. */
  unread(): number;
}

/** Calls `onMessage` for every message, its text uncut and its position as Lean gives it (line 1-based, column 0-based). */
export function readMessages(onMessage: (message: LeanMessage, end: MessageEnd | null) => void): MessageReader {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let unread = 0;

  function endLine(): void {
    const line = pendingBytes > LINE_BYTES_MAX ? null : Buffer.concat(pending).toString('utf8').trim();
    pending = [];
    pendingBytes = 0;
    if (line === '') return;
    const parsed = line === null ? null : parseMessage(line);
    if (parsed === null) unread += 1;
    else onMessage(parsed.message, parsed.end);
  }

  return {
    push(chunk) {
      for (let start = 0; start < chunk.length; ) {
        const found = chunk.indexOf(0x0a, start);
        const end = found < 0 ? chunk.length : found;
        pendingBytes += end - start;
        if (pendingBytes <= LINE_BYTES_MAX) pending.push(chunk.subarray(start, end));
        if (found >= 0) endLine();
        start = end + 1;
      }
    },
    unread: () => unread,
  };
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
