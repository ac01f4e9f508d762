/**
 * Converts a message of Lean to the REPL's form: with the REPL's severities, and with positions in the snippet as the
 * client sent it.
 */
import type { LeanMessage } from '@stp/config/records';
import type { MessageEnd } from '../runtime/process/message.ts';
import type { WireMessage } from './wire.ts';

export function wireMessage(
  message: LeanMessage,
  end: MessageEnd | null | undefined,
  lineOf: (reported: number) => number,
): WireMessage {
  return {
    severity: message.severity === 'information' ? 'info' : message.severity,
    pos: { line: lineOf(message.line), column: message.column },
    ...(end ? { endPos: { line: lineOf(end.line), column: end.column } } : {}),
    data: message.text,
  };
}
