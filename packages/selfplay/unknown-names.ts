/**
 * Counts proofs that use unknown names, according to Lean's messages: the most frequent error of a prover that does not
 * see its context.
 */
import type { Verdict } from '@stp/config/records';

const UNKNOWN = /\bunknown (?:identifier|constant)\b/iu;

export function namesUnknown({ messages }: Pick<Verdict, 'messages'>): boolean {
  return messages.some(({ severity, text }) => severity === 'error' && UNKNOWN.test(text));
}
