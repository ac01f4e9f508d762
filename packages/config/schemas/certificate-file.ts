/** A certificate that travels: one proof in a file, with all that another machine needs to judge it again (docs/certificates.md). */
import { z } from 'zod';
import { certificateSchema, checkRecordSchema } from './certificate.ts';
import { HEADER_CHARS_MAX, PROOF_CHARS_MAX, STATEMENT_CHARS_MAX } from './records.ts';

/** Name and version of the format. A change that an earlier reader could misread raises the number. */
export const CERTIFICATE_FORMAT = 'stp-certificate/1';
/** Size of a file, bytes: texts at their longest, every character as an escape, and axioms. */
export const CERTIFICATE_BYTES_MAX = 1_048_576;
const AXIOMS_MAX = 16_384;
const NAME_CHARS_MAX = 1_024;
const CHECKS_MAX = 16;

const name = z.string().max(NAME_CHARS_MAX);
const { leanVersion, fingerprint, statementHash, proofHash, headerHash, sandbox } = certificateSchema.shape;

/**
 * What a second judgement can find again, and nothing else: no times, no memory, and no hashes of compiled modules, since each
 * judgement compiles the proof under names that nobody can guess.
 */
export const certificateFileSchema = z.strictObject({
  format: z.literal(CERTIFICATE_FORMAT),
  /** The header that the statement stands under; the library's is written out. */
  header: z.string().max(HEADER_CHARS_MAX),
  /** `theorem NAME BINDERS : TYPE`, without `:=`. */
  statement: z.string().min(1).max(STATEMENT_CHARS_MAX),
  /** Tactic block. */
  proof: z.string().max(PROOF_CHARS_MAX),
  headerHash,
  statementHash,
  proofHash,
  /** All axioms that the compiled theorem rests on, sorted. */
  axioms: z.array(name).max(AXIOMS_MAX),
  /** What the judgement claims, in words. */
  claim: name,
  /** Every check that was made or asked for, in order. */
  checks: z.array(checkRecordSchema.omit({ ms: true })).max(CHECKS_MAX),
  leanVersion,
  fingerprint,
  sandbox,
});
export type CertificateFile = z.infer<typeof certificateFileSchema>;
