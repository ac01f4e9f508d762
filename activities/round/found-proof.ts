/** Converts a judged proof into a record with its certificate. */
import type { Proved, Sample, Statement, Verdict } from '@stp/config/records';
import { certificateOf } from './certificate-record.ts';

/** @param found origin of the statement, the round, and the statement's pass rate in the round */
export function foundProof(
  stated: Statement,
  sample: Sample,
  verdict: Verdict,
  found: Pick<Proved, 'origin' | 'round' | 'passRate'>,
): Proved {
  const { id, name, header, statement } = stated;
  return {
    statementId: id,
    name,
    header,
    statement,
    proof: sample.proof,
    ...found,
    premises: verdict.premises,
    model: sample.model,
    seed: sample.seed,
    leanVersion: verdict.leanVersion,
    certificate: certificateOf(stated, sample, verdict),
    checkMs: verdict.checkMs,
    ...(sample.steps === undefined ? {} : { steps: sample.steps }),
  };
}
