/** The certificate of a proof's judgement, copied from the verdict, and questions about it. */
import { StpError } from '@stp/base';
import { sha256 } from '@stp/config/ids';
import type { Certificate, Proved, Sample, SandboxFacts, Statement, Verdict } from '@stp/config/records';
import { LIBRARY_HEADER, SECOND_KERNEL } from '@stp/lean-verifier';

/** Throws STP1402 if the verdict has no certificate, or a certificate of other texts. */
export function certificateOf(
  { name, header, statement }: Pick<Statement, 'name' | 'header' | 'statement'>,
  { proof }: Pick<Sample, 'proof'>,
  { sampleId, certificate }: Pick<Verdict, 'sampleId' | 'certificate'>,
): Certificate {
  const isOfThese =
    certificate?.statementHash === sha256(statement) &&
    certificate.proofHash === sha256(proof) &&
    certificate.headerHash === sha256(header ?? LIBRARY_HEADER);
  if (isOfThese) return certificate;
  throw new StpError(
    'STP1402',
    `the verdict on sample ${sampleId} of ${name} is \`proved\`, and ${certificate === undefined ? 'has no certificate' : 'its certificate is of other texts'}`,
    'The record was changed after it was judged: restore it, or start the run again.',
  );
}

/** The second kernel's answer about a proof; `none`: it was not asked. */
export type SecondOpinion = 'accepted' | 'declined' | 'none';

export function secondOpinion({ certificate }: Proved): SecondOpinion {
  const outcome = certificate.checks.find(({ by }) => by === SECOND_KERNEL.name)?.outcome;
  return outcome === 'accepted' || outcome === 'declined' ? outcome : 'none';
}

/** Returns why a result is not eligible. Empty if Lean ran in a sandbox whenever it read a model's text. */
export function whyIneligible({ kind, description }: SandboxFacts): string[] {
  return kind === 'none' ? [`Lean ran without a sandbox: ${description}`] : [];
}
