/** A claimed proof that no screen has seen. */
import type { Claim } from '../trust/object/confirm-proofs.ts';

export function claimOf(signature: string, proofText: string): Claim {
  return { statement: `theorem claimed${signature}`, signature, proofText };
}
