/**
 * Changes of what workflows do, in an order that a history can tell: each has a name here, and the code asks
 * `patched(CHANGES.name)` where the old way and the new one part. A run that began before the change goes the old way to
 * its end, or to its next continue-as-new; `docs/decisions/0011-changes-by-patches.md` says when an old way may go.
 */
export const CHANGES = {
  /** `proofs.lean` is written beside the last retraining. 2026-11 */
  proofsBesideRetraining: 'proofs-beside-retraining',
  /** Where the library grows, a round proves its conjectures before its statements. 2026-11 */
  conjecturesFirst: 'conjectures-first',
  /** The first and the last model are evaluated at once, and `proofs.lean` may still be written meanwhile. 2026-11 */
  modelsEvaluatedTogether: 'models-evaluated-together',
} as const;
