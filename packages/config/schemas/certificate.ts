/** The certificate of a proof: how its compiled object was judged, by which checkers, in which sandbox. */
import { z } from 'zod';

/**
 * The sandbox that Lean ran in: the facts that decide whether Lean's answer can be trusted
 * (`packages/lean-verifier/runtime/sandbox`).
 */
export const sandboxFactsSchema = z.strictObject({
  /** `bubblewrap`: a probe has shown that the sandbox works. `none`: results are not eligible. */
  kind: z.enum(['bubblewrap', 'none']),
  /** `bubblewrap 0.8.0, seccomp`; without a sandbox, the reason. */
  description: z.string(),
});
export type SandboxFacts = z.infer<typeof sandboxFactsSchema>;

/**
 * `absent`: the checker is not on the judging machine. `declined`: it cannot decide. `failed`: it ended with an
 * error.
 */
export const checkOutcomeSchema = z.enum(['accepted', 'refused', 'declined', 'absent', 'failed']);
export type CheckOutcome = z.infer<typeof checkOutcomeSchema>;

/** One program's check of the compiled theorem. */
export const checkRecordSchema = z.strictObject({
  by: z.string(),
  /** Null if the checker is absent. */
  version: z.string().nullable(),
  outcome: checkOutcomeSchema,
  /**
   * Wall time of checking the whole module, which may hold other proofs too. The object judge and the second kernel
   * read it in one pass, so both records have the time of that pass.
   */
  ms: z.number().nonnegative(),
});
export type CheckRecord = z.infer<typeof checkRecordSchema>;

/** SHA-256, hex. */
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * The record of how a compiled proof was judged: the text that was compiled, its checkers, and its axioms and lemmas.
 */
export const objectJudgementSchema = z.strictObject({
  /** SHA-256 (hex) of the compiled text, which contains this proof and possibly others. */
  fileHash: hash,
  /** SHA-256 (hex) of the compiled module that was judged. */
  objectHash: hash,
  /** Hash of the grown library's compiled modules that could be imported; null if there were none. */
  libraryHash: hash.nullable(),
  /** Axioms that the compiled theorem depends on, sorted. */
  axioms: z.array(z.string()),
  /**
   * What the judgement claims, in words. With an assembled Lean the claim is weaker, since its library has no proofs.
   */
  claim: z.string(),
  /** Every check that was made or requested, in order. */
  checks: z.array(checkRecordSchema),
  /** Theorems of a grown library in the compiled proof term, whether or not the text names them. */
  restsOn: z.array(z.string()),
  sandbox: sandboxFactsSchema,
  /** Resident memory of the compiling process, bytes: its limit and its peak. */
  memory: z.strictObject({ bytesMax: z.number(), peakBytes: z.number().nonnegative() }),
  /** Wall times for the proof's module, ms: compilation, the second kernel, further checkers. */
  times: z.strictObject({ compileMs: z.number(), objectMs: z.number(), checksMs: z.number() }),
});
export type ObjectJudgement = z.infer<typeof objectJudgementSchema>;

/** The judgement of a proof that counts. It names the judged texts and the Lean that compiled them. */
export const certificateSchema = objectJudgementSchema.extend({
  leanVersion: z.string(),
  /** Content hash of toolchain and library (`LeanEnvironment.fingerprint`). */
  fingerprint: z.string(),
  statementHash: hash,
  proofHash: hash,
  /** Hash of the statement's header, or of the library's if the statement has none. */
  headerHash: hash,
});
export type Certificate = z.infer<typeof certificateSchema>;
