/**
 * Requests of AXLE's client (`axiom-axle` 1.9) for `check`, `verify_proof` and `disprove`, and the answers that it
 * reads. The client omits fields that its caller did not set. Unknown keys are ignored.
 */
import { z } from 'zod';
import { CODE_CHARS_MAX } from '../limits.ts';

/** AXLE's default, seconds. */
const TIMEOUT_SECONDS = 120;
const NAMES_MAX = 1_024;
const TACTICS_MAX = 16;
const TACTIC_CHARS_MAX = 256;

const code = z.string().max(CODE_CHARS_MAX);

const common = {
  content: code.describe('Lean 4 source'),
  environment: z.string().max(256).describe('Any name: this server has one Lean, and its answers say which'),
  ignore_imports: z.boolean().default(true).describe('Read the text below this server’s own imports'),
  timeout_seconds: z.number().positive().default(TIMEOUT_SECONDS),
};
const selection = {
  names: z.array(z.string().max(CODE_CHARS_MAX)).max(NAMES_MAX).default([]),
  indices: z.array(z.int()).max(NAMES_MAX).default([]),
};
/** Options that change how a text is elaborated or shown. They have no effect; the answer reports them. */
const unread = {
  mathlib_options: z.boolean().default(false),
  run_env_linters: z.boolean().default(false),
  verbosity: z.int().default(0),
  delab_options: z.record(z.string(), z.unknown()).default({}),
};
/** Options that change what is accepted. A request that sets one is refused. */
const refused = { global_options: z.record(z.string(), z.unknown()).default({}) };

export const axleCheckSchema = z.object({ ...common, ...selection, ...unread, ...refused });
export const axleVerifySchema = z.object({
  ...common,
  ...unread,
  ...refused,
  formal_statement: code,
  permitted_sorries: z.array(z.string()).default([]),
  verify_negation: z.boolean().default(false),
  allow_statement_axioms: z.boolean().default(false),
  allow_bv_decide: z.boolean().default(false),
});
export const axleDisproveSchema = z.object({
  ...common,
  ...selection,
  ...unread,
  ...refused,
  terminal_tactics: z.array(z.string().max(TACTIC_CHARS_MAX)).max(TACTICS_MAX).optional(),
});

const messagesSchema = z.object({
  errors: z.array(z.string()),
  warnings: z.array(z.string()),
  infos: z.array(z.string()),
});
export type AxleMessages = z.infer<typeof messagesSchema>;

const answered = {
  content: z.string().describe('The text that was read: below this server’s imports under `ignore_imports`'),
  lean_messages: messagesSchema.describe('`-:LINE:COLUMN-LINE:COLUMN: severity: text`'),
  tool_messages: messagesSchema,
  timings: z.object({ total_ms: z.int() }),
  info: z.object({
    lean: z.string().describe('The Lean that judged'),
    environment: z.string().describe('Its name as an environment'),
    sandbox: z.string(),
    not_filled: z.array(z.string()).describe('Fields of AXLE that are not to be had here'),
  }),
};
const failed = { failed_declarations: z.array(z.string()) };
export const axleCheckAnswerSchema = z.object({ okay: z.boolean(), ...answered, ...failed });
export const axleVerifyAnswerSchema = z.object({ okay: z.boolean(), ...answered, ...failed });
export const axleDisproveAnswerSchema = z.object({
  ...answered,
  results: z.record(z.string(), z.string()),
  negated: z.record(z.string(), z.string()),
  disproved_theorems: z.array(z.string()),
});
export type AxleInfo = z.infer<typeof answered.info>;

/** Answers without a result, sent with status 200. The client raises a different error for each. */
export type AxleFailure =
  | { readonly user_error: string }
  | { readonly error: string; readonly error_type?: 'LeanTimeout' | 'LeanResourceExceeded' };

export const axleStatusSchema = z.object({ status: z.string() });
export const axleEnvironmentsSchema = z.array(z.object({ name: z.string(), description: z.string() }));
