/**
 * Converts messages of a language server to messages of `lean --json`, each once. Older servers resend the growing list
 * of a document version; newer ones send only additions.
 */

import { sha256 } from '@stp/config/ids';
import type { LeanMessage } from '@stp/config/records';
import { z } from 'zod';
import { CUT_LENGTH, CUT_MARK, MESSAGE_LENGTH_MAX, type MessageEnd } from '../message.ts';
import type { TextPositions } from './positions.ts';

const positionSchema = z.object({ line: z.number().int().nonnegative(), character: z.number().int().nonnegative() });
const rangeSchema = z.object({ start: positionSchema, end: positionSchema });

/** The fields of `textDocument/publishDiagnostics` that this file reads. */
const publishedSchema = z.object({
  version: z.number().int().optional(),
  diagnostics: z.array(
    z.object({
      range: rangeSchema,
      /** The whole text that the message is about; `range` ends with its first line. */
      fullRange: rangeSchema.optional(),
      severity: z.number().int().optional(),
      message: z.string(),
      /** An editor shows a silent message only as a mark. */
      isSilent: z.boolean().optional(),
    }),
  ),
  isIncremental: z.boolean().optional(),
});
type Diagnostic = z.infer<typeof publishedSchema>['diagnostics'][number];

const SEVERITIES: Readonly<Record<number, LeanMessage['severity']>> = { 1: 'error', 2: 'warning' };

export type OnMessage = (message: LeanMessage, end: MessageEnd | null) => void;

/** Takes the notifications for one version of a text, in order, and reports each message once. */
export class DiagnosticReader {
  readonly #version: number;
  readonly #positions: TextPositions;
  readonly #onMessage: OnMessage;
  readonly #told = new Map<string, number>();

  constructor(version: number, positions: TextPositions, onMessage: OnMessage) {
    this.#version = version;
    this.#positions = positions;
    this.#onMessage = onMessage;
  }

  /** Takes the parameters of a notification. Notifications with another format or about another version are ignored. */
  push(parameters: unknown): void {
    const parsed = publishedSchema.safeParse(parameters);
    if (!parsed.success || parsed.data.version !== this.#version) return;
    const { diagnostics, isIncremental = false } = parsed.data;
    // A complete list repeats earlier messages. Two equal messages within it are two messages.
    const again = isIncremental ? new Map<string, number>() : new Map(this.#told);
    for (const diagnostic of diagnostics) {
      if (diagnostic.isSilent) continue;
      const key = keyOf(diagnostic);
      const left = again.get(key) ?? 0;
      if (left > 0) again.set(key, left - 1);
      else this.#tell(diagnostic, key);
    }
  }

  #tell({ range, fullRange = range, severity, message: text }: Diagnostic, key: string): void {
    this.#told.set(key, (this.#told.get(key) ?? 0) + 1);
    const begin = this.#positions.toSource(fullRange.start);
    const end = this.#positions.toSource(fullRange.end);
    const isPoint = end.line === begin.line && end.column === begin.column;
    const told = text.length > MESSAGE_LENGTH_MAX ? `${text.slice(0, CUT_LENGTH)}${CUT_MARK}` : text;
    this.#onMessage(
      { severity: SEVERITIES[severity ?? 0] ?? 'information', ...begin, text: told },
      isPoint ? null : end,
    );
  }
}

/**
 * Returns equal keys for equal diagnostics. The key of a long diagnostic is a hash, which uses less memory than its
 * text.
 */
function keyOf(diagnostic: Diagnostic): string {
  const key = JSON.stringify(diagnostic);
  return key.length > CUT_LENGTH ? sha256(key) : key;
}
