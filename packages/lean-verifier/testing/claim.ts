/** A claimed proof that did not pass a screen. */
import type { Claim } from '../trust/object/compile-claims.ts';

export function claimOf(signature: string, proofText: string, name = 'claimed'): Claim {
  return { statement: `theorem ${name}${signature}`, signature, proofText };
}
