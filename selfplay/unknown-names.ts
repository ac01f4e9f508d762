/** Proofs that name what is not there, as Lean's messages say it: what a prover that cannot see its context does most. */
import type { Verdict } from '../data/schemas/records.ts';

const UNKNOWN = /\bunknown (?:identifier|constant)\b/iu;

export function namesUnknown({ messages }: Pick<Verdict, 'messages'>): boolean {
  return messages.some(({ severity, text }) => severity === 'error' && UNKNOWN.test(text));
}
