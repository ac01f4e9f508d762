/** The judgement of a proof, as tools answer it. */
import { type CheckRecord, checkRecordSchema, verdictKindSchema } from '@stp/config/records';
import { type CertifiedTexts, type CheckResult, certificateFile, certificateText } from '@stp/lean-verifier';
import { z } from 'zod';
import type { KeptCertificates } from './certificates.ts';

const MESSAGE_CHARS_MAX = 4_096;

export const judgementOutput = {
  verdict: verdictKindSchema.describe(
    '`proved`, or why it is not: rejected, sorry, timeout, header_error, forbidden, …',
  ),
  axioms: z.array(z.string()).describe('all axioms that a proof rests on; otherwise the forbidden ones'),
  checks: z.array(checkRecordSchema).describe('what checked the compiled object of a proof'),
  message: z.string().describe('why it is not proved; line from 1 and column from 0 of the proof'),
  certificate_uri: z.string().nullable().describe('resource with the certificate of a proof'),
};

/** Keeps the certificate of a proof. */
export function judgementOf(texts: CertifiedTexts, result: CheckResult, certificates: KeptCertificates) {
  const { kind, certificate, axioms } = result;
  const file = certificate === undefined ? null : certificateFile(texts, certificate);
  const checks: readonly CheckRecord[] = certificate?.checks ?? [];
  return {
    judgement: {
      verdict: kind,
      axioms: [...(certificate?.axioms ?? axioms)],
      checks: [...checks],
      message: whyNot(result),
      certificate_uri: file === null ? null : certificates.add(file),
    },
    certificate: file === null ? null : certificateText(file),
  };
}

/** Lean's errors; where it reports none, all its messages. */
function whyNot({ kind, messages }: CheckResult): string {
  if (kind === 'proved') return '';
  const errors = messages.filter(({ severity }) => severity === 'error');
  return (errors.length > 0 ? errors : messages)
    .map(({ line, column, text }) => (line < 1 ? text : `${line}:${column}: ${text}`))
    .join('\n')
    .slice(0, MESSAGE_CHARS_MAX);
}
