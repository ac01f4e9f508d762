/**
 * What the community REPL writes: a JSON object over several lines, then an empty line. Cuts the byte stream into replies
 * and reads them; knows nothing of processes.
 */
import { z } from 'zod';
import type { LeanMessage } from '../../../data/schemas/records.ts';
import type { MessageEnd } from '../message.ts';

const positionSchema = z.object({ line: z.number().int().nonnegative(), column: z.number().int().nonnegative() });

/** To a command: the environment after it and what Lean said; or why there was none. */
const replySchema = z.union([
  z.object({
    env: z.number().int().nonnegative(),
    messages: z
      .array(
        z.object({
          severity: z.enum(['trace', 'info', 'warning', 'error']),
          pos: positionSchema,
          endPos: positionSchema.nullish(),
          data: z.string(),
        }),
      )
      .default([]),
  }),
  z.object({ message: z.string() }),
]);
export type ReplReply = z.infer<typeof replySchema>;
type ReplMessage = Extract<ReplReply, { env: number }>['messages'][number];

/** A longer reply is no answer: as much as one process may write in all. */
const REPLY_BYTES_MAX = 67_108_864;

/** Calls `onReply` for each, with null for text that is not a reply: not JSON, another form, too long. */
export function readReplies(onReply: (reply: ReplReply | null) => void): (chunk: Buffer) => void {
  let lines: Buffer[] = [];
  let line: Buffer[] = [];
  let bytes = 0;

  function endLine(): void {
    const whole = Buffer.concat(line);
    line = [];
    if (whole.toString('latin1').trim() !== '') {
      lines.push(whole);
      return;
    }
    if (lines.length === 0) return;
    onReply(bytes > REPLY_BYTES_MAX ? null : parseReply(Buffer.concat(lines).toString('utf8')));
    lines = [];
    bytes = 0;
  }

  return (chunk) => {
    for (let start = 0; start < chunk.length; ) {
      const found = chunk.indexOf(0x0a, start);
      const end = found < 0 ? chunk.length : found + 1;
      bytes += end - start;
      if (bytes <= REPLY_BYTES_MAX) line.push(chunk.subarray(start, end));
      if (found >= 0) endLine();
      start = end;
    }
  };
}

function parseReply(text: string): ReplReply | null {
  try {
    return replySchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** As `lean --json` would have said it of a text in which `linesBefore` lines stand above the command. */
export function leanMessage(message: ReplMessage, linesBefore: number): [LeanMessage, MessageEnd | null] {
  const { severity, pos, endPos, data: text } = message;
  return [
    {
      severity: severity === 'error' || severity === 'warning' ? severity : 'information',
      line: pos.line + linesBefore,
      column: pos.column,
      text,
    },
    endPos ? { line: endPos.line + linesBefore, column: endPos.column } : null,
  ];
}
