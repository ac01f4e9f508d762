/** The certificate of a proof: how its compiled object was judged, by which checkers, in which sandbox. */
import { z } from 'zod';

/** The sandbox that Lean ran in, as far as a reader must know it to trust Lean's answer (`packages/lean-verifier/runtime/sandbox`). */
export const sandboxFactsSchema = z.strictObject({
  /** `bubblewrap`: walled in, and a probe has shown that the wall stands. `none`: results are not eligible. */
  kind: z.enum(['bubblewrap', 'none']),
  /** `bubblewrap 0.8.0, seccomp`; without a sandbox the reason. */
  description: z.string(),
});
export type SandboxFacts = z.infer<typeof sandboxFactsSchema>;

/** `absent`: it is not on the machine that judged. `declined`: it says that it cannot tell. `failed`: it did not end well. */
export const checkOutcomeSchema = z.enum(['accepted', 'refused', 'declined', 'absent', 'failed']);
export type CheckOutcome = z.infer<typeof checkOutcomeSchema>;

/** One look at the compiled theorem, by one program. */
export const checkRecordSchema = z.strictObject({
  by: z.string(),
  /** Null where it is absent. */
  version: z.string().nullable(),
  outcome: checkOutcomeSchema,
  /** Wall time of the check of the whole module, which other proofs may share. */
  ms: z.number().nonnegative(),
});
export type CheckRecord = z.infer<typeof checkRecordSchema>;

/** SHA-256, hex. */
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** The record of how a compiled proof was judged: the text that was compiled, its checkers, and its axioms and lemmas. */
export const objectJudgementSchema = z.strictObject({
  /** SHA-256 (hex) of the text that a fresh process compiled, this proof in it. */
  fileHash: hash,
  /** SHA-256 (hex) of the compiled module that was judged. */
  objectHash: hash,
  /** Hash of the compiled modules of the grown library that could be imported; null where there were none. */
  libraryHash: hash.nullable(),
  /** Axioms that the compiled theorem rests on, sorted. */
  axioms: z.array(z.string()),
  /** What the judgement claims, in words: with an assembled Lean no more than its library's statements allow. */
  claim: z.string(),
  /** Every check that was made or asked for, in order. */
  checks: z.array(checkRecordSchema),
  /** Theorems of a grown library that the compiled proof mentions, by name or not. */
  restsOn: z.array(z.string()),
  sandbox: sandboxFactsSchema,
  /** Resident memory of the compiling process, bytes: its bound and the most that was seen. */
  memory: z.strictObject({ bytesMax: z.number(), peakBytes: z.number().nonnegative() }),
  /** Wall times of the module that the proof stands in, ms: compiling it, reading it with the second kernel, further checkers. */
  times: z.strictObject({ compileMs: z.number(), objectMs: z.number(), checksMs: z.number() }),
});
export type ObjectJudgement = z.infer<typeof objectJudgementSchema>;

/** The judgement of a proof that counts, bound to the texts that were judged and to the Lean that compiled them. */
export const certificateSchema = objectJudgementSchema.extend({
  leanVersion: z.string(),
  /** Content hash of toolchain and library (`LeanEnvironment.fingerprint`). */
  fingerprint: z.string(),
  statementHash: hash,
  proofHash: hash,
  /** Hash of the header that the statement stands under: its own, or else the library's. */
  headerHash: hash,
});
export type Certificate = z.infer<typeof certificateSchema>;
