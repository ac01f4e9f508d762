/** The records of a run. Ids are content hashes (`packages/config/schemas/ids.ts`); record files are JSON Lines. */
import { z } from 'zod';
import { certificateSchema } from './certificate.ts';
import { proofStepSchema } from './goal.ts';
import { gradingSchema } from './judge.ts';

const id = z.string().min(1).max(128);
/**
 * Maximum lengths of statements, proofs and headers, in UTF-16 units. Longer text is refused before it reaches Lean.
 */
export const STATEMENT_CHARS_MAX = 8_192;
export const PROOF_CHARS_MAX = 16_384;
export const HEADER_CHARS_MAX = 4_096;

export const splitSchema = z.enum(['train', 'held-out']);
export type Split = z.infer<typeof splitSchema>;

/**
 * A theorem to prove. `statement` is the signature without its proof: `theorem NAME BINDERS : TYPE`, no `:=`. `header`
 * is everything above it in a file (imports, opens, definitions of its own), or null for the library's header. For a
 * problem in words (`isInWords` of a configuration) `statement` is the problem.
 */
export const statementSchema = z.strictObject({
  id,
  name: z.string().min(1).max(256),
  header: z.string().max(HEADER_CHARS_MAX).nullable(),
  statement: z.string().min(1).max(STATEMENT_CHARS_MAX),
  split: splitSchema,
  /** The set's name, then the source's labels (STP §1.1: split and tags). */
  labels: z.array(z.string().max(128)).max(20),
  /**
   * Matching weight in round 0 (STP §1.1): how much the statement counts when conjectures are matched to the dataset.
   */
  weight: z.number().positive(),
  /** The problem in words, if the source has it. Some prompt formats show it. */
  informal: z.string().max(STATEMENT_CHARS_MAX).optional(),
  /** The scale and rubric by which judges mark its proofs. */
  grading: gradingSchema.optional(),
});
export type Statement = z.infer<typeof statementSchema>;

/** A library theorem with its proof: SFT data, premise, source of conjecturer examples. */
export const libraryTheoremSchema = z.strictObject({
  id,
  /** Fully qualified name, as `#check` would print it. */
  name: z.string().min(1).max(256),
  /** File under `data/library`, and the 1-based line where the theorem starts. */
  file: z.string(),
  line: z.number().int().positive(),
  /** Signature, `theorem NAME BINDERS : TYPE`, elaborating under `header`. */
  statement: z.string().min(1).max(STATEMENT_CHARS_MAX),
  /** Tactic block after `:= by`, dedented to column 2. */
  proof: z.string().min(1).max(PROOF_CHARS_MAX),
  /** Imports and opens under which `statement` and `proof` elaborate outside their file. */
  header: z.string().max(HEADER_CHARS_MAX),
  /** Library theorems named in the proof. */
  premises: z.array(z.string()),
});
export type LibraryTheorem = z.infer<typeof libraryTheoremSchema>;

export const conjectureSchema = statementSchema.extend({
  /**
   * The statement whose proof seeded this conjecture, and the premise that they should share (null: none requested).
   */
  seedId: id,
  lemma: z.string().nullable(),
  round: z.number().int().positive(),
});

/** How exploration found an equation: features for the ranker beside its text. */
export const foundAtSchema = z.strictObject({
  /** Number of the round's statements near which it was found. */
  statements: z.number().int().positive(),
  /** Whether the equation says that a function equals one of Lean's core library. */
  isCore: z.boolean(),
});
export type FoundAt = z.infer<typeof foundAtSchema>;

/** Who chose a conjecture for a round: exploration's order, the ranker, or the model that wrote it. */
export const CHOOSERS = ['order', 'ranked', 'written'] as const;
export type Chooser = (typeof CHOOSERS)[number];

/** A conjecture, a statement that it might have helped to prove, and whether it paid (`data/sft/conjectures.jsonl`). */
export const triedConjectureSchema = z.strictObject({
  target: z.string().max(STATEMENT_CHARS_MAX),
  statement: z.string().max(STATEMENT_CHARS_MAX),
  found: foundAtSchema,
  /** Whether later proofs use it. */
  pays: z.boolean(),
});
export type TriedConjecture = z.infer<typeof triedConjectureSchema>;

/** The gate's verdict on a conjecture text. */
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

/**
 * Why an answer contains no proof to check (a model's: `packages/selfplay/formats/answer.ts`). `no-script`: no script
 * proves the statement.
 */
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
  /**
   * Sum of the tokens' natural log-probabilities under the sampling distribution; null if the server does not give
   * it.
   */
  logprob: z.number().nullable(),
  seed: z.number().int().nonnegative(),
  model: z.string(),
  /** Number of samples with exactly this text. */
  multiplicity: z.number().int().positive(),
  /** Indices of these samples among the statement's samples, from 0, ascending; `multiplicity` of them. */
  indices: z.array(z.number().int().nonnegative()).min(1),
  /** `length`: the text was cut off at the token limit. */
  finish: z.enum(['stop', 'length']),
  /** Why the answer contains no proof. `proof` is then empty, and Lean is not asked. */
  refused: answerRefusalSchema.optional(),
  /** The model's own text, if it is trained by reward and the text differs from `proof` in the prompt's form. */
  written: z.string().max(PROOF_CHARS_MAX).optional(),
  /** The answer stated another theorem; its proof is tried under our statement. */
  changedStatement: z.literal(true).optional(),
  /** Commands above the answer's theorem, which are left out when its proof is tried. */
  dropped: z.string().max(512).optional(),
  /** The tactics of a proof that a search found, each with the goal before it. */
  steps: z.array(proofStepSchema).optional(),
});
export type Sample = z.infer<typeof sampleSchema>;

/** Only `infra` is retried automatically. It never lowers a pass rate. */
export const verdictKindSchema = z.enum([
  'proved',
  'rejected',
  'sorry',
  'timeout',
  'oom',
  'crash',
  'header_error',
  'forbidden',
  // For answers that are not sent to Lean: no proof in the answer; another theorem, which the format refuses.
  'no_proof',
  'changed_statement',
  'infra',
]);
export type VerdictKind = z.infer<typeof verdictKindSchema>;

export const leanMessageSchema = z.strictObject({
  severity: z.enum(['error', 'warning', 'information']),
  /** 1-based line in the tactic block (line 1 follows `:= by`) or in the checked file. */
  line: z.number().int(),
  column: z.number().int().nonnegative(),
  text: z.string().max(4_096),
});
export type LeanMessage = z.infer<typeof leanMessageSchema>;

export const verdictSchema = z.strictObject({
  sampleId: id,
  kind: verdictKindSchema,
  messages: z.array(leanMessageSchema).max(8),
  /** Fully qualified names of the library theorems that the proof uses, sorted. */
  premises: z.array(z.string()),
  /** Axioms outside the standard three, sorted; empty for a proof that counts. */
  axioms: z.array(z.string()),
  /** How its compiled module was judged; set if the verdict is `proved`. */
  certificate: certificateSchema.optional(),
  /** Lean's kernel accepts the compiled module, and the second kernel refuses it. */
  isDisagreement: z.literal(true).optional(),
  /** Lean's processor time for this candidate, ms; without queue and header time. */
  checkMs: z.number().nonnegative(),
  /** Version of the Lean that gave the verdict: `LeanEnvironment.version`. */
  leanVersion: z.string(),
  /** Wait for a Lean process, ms; missing if Lean was not asked (refused, known). */
  queueMs: z.number().nonnegative().optional(),
  /** Peak resident memory of the process while it checked this candidate alone; missing if it checked others too. */
  peakResidentBytes: z.number().int().nonnegative().optional(),
  /** The interface to Lean: a language server, or `lean --json`. */
  driver: z.enum(['server', 'json']).optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;

export const roleSchema = z.enum(['prover', 'conjecturer']);

/** A training example. The loss is over `target` and the end-of-text token only, times `weight`. */
export const exampleSchema = z.strictObject({
  prompt: z.string(),
  target: z.string(),
  weight: z.number().nonnegative(),
  role: roleSchema,
});
export type Example = z.infer<typeof exampleSchema>;

/** A certified proof, with everything needed to check it again and to know its origin. */
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
