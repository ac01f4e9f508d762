/** A claimed proof that no screen has seen. */
import type { Claim } from '../trust/object/confirm-proofs.ts';

export function claimOf(signature: string, proofText: string, name = 'claimed'): Claim {
  return { statement: `theorem ${name}${signature}`, signature, proofText };
}
