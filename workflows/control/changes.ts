/**
 * Changes of what workflows do, in an order that a history can tell: each has a name here, and the code asks
 * `patched(CHANGES.name)` where the old way and the new one part. A run that began before the change goes the old way to
 * its end, or to its next continue-as-new; `docs/decisions/0011-changes-by-patches.md` says when an old way may go.
 */
export const CHANGES = {
  /** Statements and sets are prepared before machines are got. 2026-11 */
  dataBeforeMachines: 'data-before-machines',
  /** The portfolio of scripts is measured beside the first training. 2026-11 */
  portfolio: 'portfolio',
} as const;
