/** One line of `lean --json`: its shape, its limits, and the reader that splits a byte stream into such lines. */

import type { LeanMessage } from '@stp/config/records';
import { z } from 'zod';

/** Of a longer line only the place and the severity are read: Lean prints a goal of any size a tactic builds. */
const LINE_BYTES_MAX = 1_048_576;
/** They stand at the line's end, behind the text, in which Lean escapes every quotation mark. */
const TAIL_BYTES = 512;
const TAIL = /"pos":\{"column":(\d{1,9}),"line":(\d{1,9})\},"severity":"(error|warning|information)"\}\s*$/u;
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

/** Calls `onMessage` for every message, its text uncut and its position as Lean gives it (line 1-based, column 0-based). */
export function readMessages(onMessage: (message: LeanMessage, end: MessageEnd | null) => void): MessageReader {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let tail: Buffer = Buffer.alloc(0);

  function endLine(): void {
    const line = pendingBytes > LINE_BYTES_MAX ? null : Buffer.concat(pending).toString('utf8').trim();
    const parsed = line === '' ? null : line === null ? parseTail(tail, pendingBytes) : parseMessage(line);
    pending = [];
    pendingBytes = 0;
    tail = Buffer.alloc(0);
    if (parsed !== null) onMessage(parsed.message, parsed.end);
  }

  return {
    push(chunk) {
      for (let start = 0; start < chunk.length; ) {
        const found = chunk.indexOf(0x0a, start);
        const end = found < 0 ? chunk.length : found;
        pendingBytes += end - start;
        if (pendingBytes <= LINE_BYTES_MAX) pending.push(chunk.subarray(start, end));
        else {
          // Nothing of what came before is of use any more.
          const last = Buffer.concat([...pending.splice(0), tail, chunk.subarray(start, end)]);
          tail = Buffer.from(last.subarray(-TAIL_BYTES));
        }
        if (found >= 0) endLine();
        start = end + 1;
      }
    },
  };
}

/** A message without its text. */
function parseTail(tail: Buffer, bytes: number): { message: LeanMessage; end: null } | null {
  const found = TAIL.exec(tail.toString('utf8'));
  if (found === null) return null;
  const [, column, line, severity] = found;
  const text = `a message of ${bytes} bytes, which is not read`;
  const message = { severity: severity as LeanMessage['severity'], line: Number(line), column: Number(column), text };
  return { message, end: null };
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
