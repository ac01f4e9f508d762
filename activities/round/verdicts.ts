/** Makes the verdicts of a shard's samples, and counts them. */

import type { Sample, Verdict, VerdictCounts } from '@stp/config/records';
import type { CheckResult } from '@stp/lean-verifier';
import { namesUnknown } from '@stp/selfplay';

/** Most messages of a verdict, as in `verdictSchema`. */
const MESSAGES_MAX = 8;

/** Returns the verdict of a sample whose answer contains no proof; Lean is not asked. */
export function unreadVerdict({ id, refused }: Sample, leanVersion: string): Verdict {
  return {
    sampleId: id,
    kind: refused!.reason === 'changed-statement' ? 'changed_statement' : 'no_proof',
    messages: [{ severity: 'error', line: 1, column: 0, text: refused!.detail }],
    premises: [],
    axioms: [],
    checkMs: 0,
    leanVersion,
  };
}

/**
 * Adds a message to a failed proof's verdict if the answer had text above the theorem, which the proof may have needed.
 */
export function withDropped(verdict: Verdict, { dropped }: Sample): Verdict {
  if (dropped === undefined || verdict.kind === 'proved' || verdict.messages.length >= MESSAGES_MAX) return verdict;
  const text = `tried without what the answer has above the theorem: ${dropped}`;
  return { ...verdict, messages: [...verdict.messages, { severity: 'information', line: 0, column: 0, text }] };
}

/** Returns the verdict for a result of Lean's check. */
export function verdictOf(result: CheckResult, leanVersion: string): Verdict {
  return {
    sampleId: result.id,
    kind: result.kind,
    messages: result.messages.slice(0, MESSAGES_MAX),
    premises: [...result.premises],
    ...(result.certificate === undefined ? {} : { certificate: result.certificate }),
    ...(result.isDisagreement ? { isDisagreement: true } : {}),
    axioms: [...result.axioms],
    checkMs: result.checkMs,
    leanVersion,
    ...(result.queueMs === undefined ? {} : { queueMs: result.queueMs }),
    ...(result.peakResidentBytes === undefined ? {} : { peakResidentBytes: result.peakResidentBytes }),
    ...(result.driver === undefined ? {} : { driver: result.driver }),
  };
}

export interface VerdictTally {
  /** Number of samples by verdict, each counted as often as it was drawn. */
  readonly counts: VerdictCounts;
  /** As `counts`, without samples that were judged before. */
  readonly newCounts: VerdictCounts;
  /** Statements with a proved sample. */
  readonly proved: ReadonlySet<string>;
  /** Number of rejected samples that use a name unknown to Lean, estimated from the explained ones. */
  readonly unknownNames: number;
  /** Number of samples whose answer states another theorem. */
  readonly changedStatements: number;
}

/** @param verdicts one for each sample, in order */
export function tally(
  samples: readonly Sample[],
  verdicts: readonly Verdict[],
  judgedBefore: ReadonlySet<string>,
  explainedShare: number,
): VerdictTally {
  const counts: VerdictCounts = {};
  const newCounts: VerdictCounts = {};
  const proved = new Set<string>();
  let [rejected, explained, unknown, changedStatements] = [0, 0, 0, 0];
  for (const [index, verdict] of verdicts.entries()) {
    const { id, statementId, multiplicity, changedStatement } = samples[index]!;
    for (const count of judgedBefore.has(id) ? [counts] : [counts, newCounts])
      count[verdict.kind] = (count[verdict.kind] ?? 0) + multiplicity;
    if (verdict.kind === 'rejected') {
      rejected += multiplicity;
      if (isExplained(id, explainedShare)) {
        explained += multiplicity;
        if (namesUnknown(verdict)) unknown += multiplicity;
      }
    }
    if (changedStatement) changedStatements += multiplicity;
    if (verdict.kind === 'proved') proved.add(statementId);
  }
  // Extrapolates from the rejected samples with a known reason to all rejected ones.
  const unknownNames = explained === 0 ? 0 : (unknown * rejected) / explained;
  return { counts, newCounts, proved, unknownNames, changedStatements };
}

/**
 * Whether Lean is asked why it rejects the sample. True for a share of all samples; a repetition of the shard selects
 * the same ones.
 *
 * @param id hexadecimal digits of a hash
 */
export function isExplained(id: string, share: number): boolean {
  return Number.parseInt(id.slice(-8), 16) < share * 2 ** 32;
}
