/** A proof that the screen accepted, as a record without a certificate. */
import { contentId } from '@stp/config/ids';
import type { Proved, Sample, Statement, Verdict } from '@stp/config/records';
import { proverPrompt } from '@stp/selfplay';

/** @param found where the statement comes from, the round, and its pass rate there */
export function foundProof(
  { id, name, header, statement }: Statement,
  sample: Sample,
  verdict: Verdict,
  found: Pick<Proved, 'origin' | 'level' | 'round' | 'passRate'>,
): Proved {
  return {
    statementId: id,
    name,
    header,
    statement,
    proof: sample.proof,
    ...found,
    premises: verdict.premises,
    restsOn: verdict.restsOn,
    model: sample.model,
    seed: sample.seed,
    leanVersion: verdict.leanVersion,
    promptHash: contentId('prompt', proverPrompt(statement)),
    certificate: null,
    checkMs: verdict.checkMs,
    ...(sample.steps === undefined ? {} : { steps: sample.steps }),
  };
}
