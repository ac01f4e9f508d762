/**
 * The certificate file: one proof, with everything that another machine needs to judge it again
 * (docs/certificates.md).
 */
import { z } from 'zod';
import { certificateSchema, checkRecordSchema } from './certificate.ts';
import { HEADER_CHARS_MAX, PROOF_CHARS_MAX, STATEMENT_CHARS_MAX } from './records.ts';

/** Name and version of the format. A change that an older reader could misread raises the version. */
export const CERTIFICATE_FORMAT = 'stp-certificate/1';
/** Maximum size of a file, bytes: room for the longest texts with every character escaped, and for the axioms. */
export const CERTIFICATE_BYTES_MAX = 1_048_576;
const AXIOMS_MAX = 16_384;
const NAME_CHARS_MAX = 1_024;
const CHECKS_MAX = 16;

const name = z.string().max(NAME_CHARS_MAX);
const { leanVersion, fingerprint, statementHash, proofHash, headerHash, sandbox } = certificateSchema.shape;

/**
 * Contains only what a second judgement can reproduce. It has no times and no memory figures. It has no hashes of
 * compiled modules either, because each judgement compiles the proof under names that nobody can guess.
 */
export const certificateFileSchema = z.strictObject({
  format: z.literal(CERTIFICATE_FORMAT),
  /** The statement's header; if it is the library's, its text is written out. */
  header: z.string().max(HEADER_CHARS_MAX),
  /** `theorem NAME BINDERS : TYPE`, without `:=`. */
  statement: z.string().min(1).max(STATEMENT_CHARS_MAX),
  /** Tactic block. */
  proof: z.string().max(PROOF_CHARS_MAX),
  headerHash,
  statementHash,
  proofHash,
  /** All axioms that the compiled theorem depends on, sorted. */
  axioms: z.array(name).max(AXIOMS_MAX),
  /** What the judgement claims, in words. */
  claim: name,
  /** Every check that was made or requested, in order. */
  checks: z.array(checkRecordSchema.omit({ ms: true })).max(CHECKS_MAX),
  leanVersion,
  fingerprint,
  sandbox,
});
export type CertificateFile = z.infer<typeof certificateFileSchema>;
