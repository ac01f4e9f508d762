/** Splits a batch of claims whose module had an objection, and confirms the parts. */
import type { Claim, Confirmation } from './compile-claims.ts';

/** Confirms parts of the claims, given by index, one part after another. */
export async function inParts(
  claims: readonly Claim[],
  parts: readonly (readonly number[])[],
  confirm: (part: readonly Claim[]) => Promise<readonly Confirmation[]>,
): Promise<readonly Confirmation[]> {
  const confirmations: Confirmation[] = [];
  for (const part of parts) {
    const own = await confirm(part.map((index) => claims[index]!));
    for (const [at, index] of part.entries()) confirmations[index] = own[at]!;
  }
  return confirmations;
}

/** Splits into two smaller parts: suspects and others, or halves if none or all are suspects. */
export function splitSuspects(count: number, blamed: ReadonlySet<number>): number[][] {
  const all = Array.from({ length: count }, (_, index) => index);
  const parts = [all.filter((index) => !blamed.has(index)), all.filter((index) => blamed.has(index))];
  if (parts.every(({ length }) => length > 0)) return parts;
  const half = Math.ceil(count / 2);
  return [all.slice(0, half), all.slice(half)];
}

/**
 * Splits into the proofs that share nothing, and parts of the others in which no two prove the same statement: Lean
 * makes the auxiliary constants of a statement once per module.
 */
export function splitSharing(claims: readonly Claim[], sharing: ReadonlySet<number>): number[][] {
  const all = [...claims.keys()];
  const ofOne = [...Map.groupBy(sharing, (index) => claims[index]!.statement).values()];
  const rows = Math.max(...ofOne.map(({ length }) => length));
  const parts = Array.from({ length: rows }, (_, row) => ofOne.flatMap((indices) => indices[row] ?? []));
  const rest = all.filter((index) => !sharing.has(index));
  if (rest.length === 0 && parts.length === 1) return splitSuspects(claims.length, new Set());
  return [rest, ...parts];
}
