/** The records of a run. Ids are content hashes (`packages/config/schemas/ids.ts`); record files are JSON Lines, one record a line. */
import { z } from 'zod';
import { certificateSchema } from './certificate.ts';
import { proofStepSchema } from './goal.ts';
import { gradingSchema } from './judge.ts';

const id = z.string().min(1).max(128);
/** Longest statement, proof and header accepted anywhere, in UTF-16 units. Longer text is refused before it reaches Lean. */
export const STATEMENT_CHARS_MAX = 8_192;
export const PROOF_CHARS_MAX = 16_384;
export const HEADER_CHARS_MAX = 4_096;

export const splitSchema = z.enum(['train', 'held-out']);
export type Split = z.infer<typeof splitSchema>;

/**
 * A theorem to prove. `statement` is the signature without its proof: `theorem NAME BINDERS : TYPE`, no `:=`.
 * `header` is everything that must stand above it in a file (imports, opens, definitions of its own), or null for the
 * library header. Of a problem in words (`isInWords` of a configuration) `statement` is the problem.
 */
export const statementSchema = z.strictObject({
  id,
  name: z.string().min(1).max(256),
  header: z.string().max(HEADER_CHARS_MAX).nullable(),
  statement: z.string().min(1).max(STATEMENT_CHARS_MAX),
  split: splitSchema,
  /** The set's name first, then what the source says of it (STP §1.1: its split and tags). */
  labels: z.array(z.string().max(128)).max(20),
  /** Matching weight in round 0 (STP §1.1): how much this dataset counts when conjectures are matched to it. */
  weight: z.number().positive(),
  /** The problem in words, where the source has it: some prompt formats show it. */
  informal: z.string().max(STATEMENT_CHARS_MAX).optional(),
  /** What judges mark its proofs by. */
  grading: gradingSchema.optional(),
});
export type Statement = z.infer<typeof statementSchema>;

/** A theorem of the library with its proof: SFT data, premise, source of conjecturer examples. */
export const libraryTheoremSchema = z.strictObject({
  id,
  /** Fully qualified name, as `#check` would print it. */
  name: z.string().min(1).max(256),
  /** File under `data/library`, and the line (1-based) the theorem starts at. */
  file: z.string(),
  line: z.number().int().positive(),
  /** Signature, `theorem NAME BINDERS : TYPE`, elaborating under `header`. */
  statement: z.string().min(1).max(STATEMENT_CHARS_MAX),
  /** Tactic block after `:= by`, dedented to column 2. */
  proof: z.string().min(1).max(PROOF_CHARS_MAX),
  /** Imports and opens that make `statement` and `proof` elaborate outside their file. */
  header: z.string().max(HEADER_CHARS_MAX),
  /** Library theorems named in the proof. */
  premises: z.array(z.string()),
});
export type LibraryTheorem = z.infer<typeof libraryTheoremSchema>;

export const conjectureSchema = statementSchema.extend({
  /** Statement whose proof seeded this conjecture, and the premise they should share (null: none asked). */
  seedId: id,
  lemma: z.string().nullable(),
  round: z.number().int().positive(),
});

/** Where exploration found an equation: what a ranker is told beside its text. */
export const foundAtSchema = z.strictObject({
  /** Statements of the round near which it was found. */
  statements: z.number().int().positive(),
  /** Does it say which function of Lean's core library a function is? */
  isCore: z.boolean(),
});
export type FoundAt = z.infer<typeof foundAtSchema>;

/** The choosers of conjectures that a round attempts: exploration's order, the ranker, or the model that wrote them. */
export const CHOOSERS = ['order', 'ranked', 'written'] as const;
export type Chooser = (typeof CHOOSERS)[number];

/** A conjecture with a statement that it might have helped with, and whether it paid (`data/sft/conjectures.jsonl`). */
export const triedConjectureSchema = z.strictObject({
  target: z.string().max(STATEMENT_CHARS_MAX),
  statement: z.string().max(STATEMENT_CHARS_MAX),
  found: foundAtSchema,
  /** Did later proofs rest on it? */
  pays: z.boolean(),
});
export type TriedConjecture = z.infer<typeof triedConjectureSchema>;

/** Why a conjecture text went no further, or that it did. */
export const gateVerdictSchema = z.enum([
  'accepted',
  'unparsable',
  'forbidden',
  'fails-tests',
  'follows',
  'duplicate',
  'not-elaborating',
  'trivial',
  'vacuous',
  'refutable',
  'over-cap',
]);

/** A message of a chat with a model. */
export const chatMessageSchema = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});
export type ChatMessage = z.infer<typeof chatMessageSchema>;

/** Why an answer gave no proof to check (a model's: `packages/selfplay/formats/answer.ts`); `no-script`: no script proves the statement. */
export const answerRefusalSchema = z.strictObject({
  reason: z.enum(['no-code', 'no-theorem', 'cut-off', 'changed-statement', 'declares-more', 'too-long', 'no-script']),
  detail: z.string().max(512),
});
export type AnswerRefusal = z.infer<typeof answerRefusalSchema>;

/** One distinct proof text of one statement, as sampled. */
export const sampleSchema = z.strictObject({
  id,
  statementId: id,
  /** Tactic block that follows `:= by`; starts with the indentation of its first line. */
  proof: z.string().max(PROOF_CHARS_MAX),
  tokens: z.number().int().nonnegative(),
  /** Sum of the log-probabilities (natural) of the tokens under the sampling distribution; null from servers that do not say. */
  logprob: z.number().nullable(),
  seed: z.number().int().nonnegative(),
  model: z.string(),
  /** How many samples had exactly this text. */
  multiplicity: z.number().int().positive(),
  /** Which of its statement's samples those were, counted from 0, ascending; `multiplicity` of them. */
  indices: z.array(z.number().int().nonnegative()).min(1),
  /** `length`: the text hit the token limit, it has no end of its own. */
  finish: z.enum(['stop', 'length']),
  /** The answer gave no proof: `proof` is empty, and Lean is not asked. */
  refused: answerRefusalSchema.optional(),
  /** The model's own text, where it is trained by reward and `proof` in the prompt's form is another one. */
  written: z.string().max(PROOF_CHARS_MAX).optional(),
  /** The answer stated another theorem; its proof is tried under ours. */
  changedStatement: z.literal(true).optional(),
  /** Commands above the theorem of the answer that its proof is tried without. */
  dropped: z.string().max(512).optional(),
  /** The tactics of a proof that a search found, each with the goal it was run on. */
  steps: z.array(proofStepSchema).optional(),
});
export type Sample = z.infer<typeof sampleSchema>;

/** Only `infra` is retried by itself, and it never lowers a pass rate. */
export const verdictKindSchema = z.enum([
  'proved',
  'rejected',
  'sorry',
  'timeout',
  'oom',
  'crash',
  'header_error',
  'forbidden',
  // Of answers that Lean is not asked about: there is no proof in it; it states another theorem and the format refuses that.
  'no_proof',
  'changed_statement',
  'infra',
]);
export type VerdictKind = z.infer<typeof verdictKindSchema>;

export const leanMessageSchema = z.strictObject({
  severity: z.enum(['error', 'warning', 'information']),
  /** 1-based line in the tactic block (line 1 is the first after `:= by`) or in the file that was checked. */
  line: z.number().int(),
  column: z.number().int().nonnegative(),
  text: z.string().max(4_096),
});
export type LeanMessage = z.infer<typeof leanMessageSchema>;

export const verdictSchema = z.strictObject({
  sampleId: id,
  kind: verdictKindSchema,
  messages: z.array(leanMessageSchema).max(8),
  /** Library theorems used, by fully qualified name, sorted. */
  premises: z.array(z.string()),
  /** Axioms outside the standard three, sorted; empty for a proof that counts. */
  axioms: z.array(z.string()),
  /** How its object was judged; there where it is proved. */
  certificate: certificateSchema.optional(),
  /** Lean's kernel accepts its object, and the second kernel refuses it. */
  isDisagreement: z.literal(true).optional(),
  /** Processor time Lean spent on this candidate, ms; queue and header time are not in it. */
  checkMs: z.number().nonnegative(),
  /** The version of Lean that gave the verdict: `LeanEnvironment.version`. */
  leanVersion: z.string(),
  /** Time it waited for a process, ms; not there where Lean was not asked (refused, known). */
  queueMs: z.number().nonnegative().optional(),
  /** Most resident memory of the process while it checked this candidate alone; not there where others were in the run. */
  peakResidentBytes: z.number().int().nonnegative().optional(),
  /** How Lean was spoken to. */
  driver: z.enum(['server', 'json']).optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;

export const roleSchema = z.enum(['prover', 'conjecturer']);

/** A training example. Loss is taken on `target` (and the end-of-text token) only, times `weight`. */
export const exampleSchema = z.strictObject({
  prompt: z.string(),
  target: z.string(),
  weight: z.number().nonnegative(),
  role: roleSchema,
});
export type Example = z.infer<typeof exampleSchema>;

/** A proof that counts: certified, with all one needs to check it again and to know where it came from. */
export const provedSchema = z.strictObject({
  statementId: id,
  name: z.string(),
  header: z.string().nullable(),
  statement: z.string(),
  proof: z.string(),
  origin: z.enum(['dataset', 'conjecture']),
  round: z.number().int().nonnegative(),
  passRate: z.number().min(0).max(1),
  premises: z.array(z.string()),
  model: z.string(),
  seed: z.number().int().nonnegative(),
  leanVersion: z.string(),
  certificate: certificateSchema,
  checkMs: z.number().nonnegative(),
  /** `steps` of the sample. */
  steps: z.array(proofStepSchema).optional(),
});
export type Proved = z.infer<typeof provedSchema>;
