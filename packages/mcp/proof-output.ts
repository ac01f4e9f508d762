/** The judgement of a proof in the tools' answers. */
import { checkRecordSchema, verdictKindSchema } from '@stp/config/records';
import {
  type CertifiedTexts,
  type CheckResult,
  certificateFile,
  certificateText,
  rowVerdict,
} from '@stp/lean-verifier';
import { z } from 'zod';
import type { KeptCertificates } from './certificates.ts';

export const judgementOutput = {
  verdict: verdictKindSchema.describe(
    '`proved`, or why it is not: rejected, sorry, timeout, header_error, forbidden, …',
  ),
  axioms: z.array(z.string()).describe('all axioms that a proof rests on; otherwise the forbidden ones'),
  checks: z.array(checkRecordSchema).describe('what checked the compiled object of a proof'),
  message: z.string().describe('why it is not proved; line from 1 and column from 0 of the proof'),
  certificate_uri: z.string().nullable().describe('resource with the certificate of a proof'),
};

/** Returns the judgement, and keeps the certificate of the proof. */
export function judgementOf(texts: CertifiedTexts, result: CheckResult, certificates: KeptCertificates) {
  const { axioms, checks, ...verdict } = rowVerdict(result);
  const file = result.certificate === undefined ? null : certificateFile(texts, result.certificate);
  return {
    judgement: {
      ...verdict,
      axioms: [...axioms],
      checks: [...checks],
      certificate_uri: file === null ? null : certificates.add(file),
    },
    certificate: file === null ? null : certificateText(file),
  };
}
