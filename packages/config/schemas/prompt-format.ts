/**
 * A prompt format: everything that differs between model families in prompts for proofs and conjectures. A format is
 * data (`data/formats/NAME.json`, or `prover.customFormat` of the configuration); `packages/selfplay/formats/` fills
 * in its templates and reads the answers.
 *
 * Templates contain names in braces, `{statement}`. `packages/selfplay/formats/fill.ts` lists the names of each
 * template.
 */
import { z } from 'zod';

const TEMPLATE_CHARS_MAX = 16_384;
/** Limits of the engines: equal to their `STOPS_MAX` and `STOP_CHARS_MAX`. */
const STOPS_MAX = 8;
const STOP_CHARS_MAX = 64;

const template = z.string().min(1).max(TEMPLATE_CHARS_MAX);
const stops = z.array(z.string().min(1).max(STOP_CHARS_MAX)).max(STOPS_MAX);
const mark = z.string().max(256);

/** The published source of a part of the format. */
const sourceSchema = z.strictObject({ what: z.string().min(1).max(1_024), url: z.url().max(1_024).nullable() });

const answerSchema = z.strictObject({
  /**
   * `text`: the whole answer is the proof. `open-block`: the prompt ends within a code block, and the answer up to the
   * closing fence is the proof. `code-block`: the proof is in the last code block that states a theorem.
   */
  form: z.enum(['text', 'open-block', 'code-block']),
  /** Whether the answer repeats the theorem. The proof is then the text after its `:=`. */
  repeatsStatement: z.boolean(),
  /** For an answer cut off at the token limit before its proof ends: `take` the text so far, or `refuse` the answer. */
  whenCutOff: z.enum(['take', 'refuse']),
  /** For an answer that states another theorem: try its proof under `ours`, or `refuse` the answer. */
  whenChanged: z.enum(['ours', 'refuse']),
});

const roleSchema = z.strictObject({
  prompt: template,
  stop: stops,
  /** The answer that the model is trained on. */
  target: template,
});

const proverSchema = roleSchema.extend({ answer: answerSchema });

/**
 * Both tasks of a conjecturer. After `form` has found the answer, `packages/selfplay/prompts.ts` reads its
 * conjectures.
 */
const conjecturerSchema = roleSchema.extend({
  /** Asks for an easier statement that helps to prove a target (`conjectures.conditionOn` `unproved-target`). */
  targetPrompt: template,
  /** The text of `{lemmaStatement}` if there is no lemma. */
  noLemma: z.string().max(1_024),
  form: z.enum(['text', 'code-block']),
});

/** Words that show Lean's errors to the model (`prover.mode` `revise`). */
const revisionSchema = z.strictObject({
  /** The user's next message in a chat, or the text after the answer in a completion. */
  prompt: template,
  /** One error. */
  error: template,
  /**
   * `marked`: some lines before the error's, with `<error>` and `</error>` around its range. `numbered`: numbered
   * lines.
   */
  snippet: z.enum(['marked', 'numbered']),
  errorsMax: z.int().positive().max(64),
});
export type RevisionFormat = z.infer<typeof revisionSchema>;

export const promptFormatSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]*$/, 'letters, digits, dots and hyphens')
      .max(64),
    sources: z.array(sourceSchema).min(1).max(16),
    mode: z.enum(['completion', 'chat']),
    /** The system message of a chat; null: none. */
    system: template.nullable(),
    /**
     * For a chat: the text that the tokenizer's chat template puts before and after each message. The chat as text is
     * the prompt of training examples, and of engines without a chat endpoint. The tokenizer adds the
     * beginning-of-text token.
     */
    marks: z
      .strictObject({
        system: z.tuple([mark, mark]),
        user: z.tuple([mark, mark]),
        assistant: z.tuple([mark, mark]),
      })
      .nullable(),
    prover: proverSchema,
    conjecturer: conjecturerSchema,
    /** Marks around the model's thinking before its answer; null: it does not think. */
    thinking: z.strictObject({ open: mark.min(1), close: mark.min(1) }).nullable(),
    /** Null: the model was not trained to revise, and `prover.mode` `revise` is refused. */
    revision: revisionSchema.nullable(),
    /** The sources' sampling parameters; defaults of presets and of `bin/stp eval`. */
    sampling: z.strictObject({
      temperature: z.number().min(0).max(4),
      topP: z.number().positive().max(1),
      maxTokens: z.int().positive(),
      /** Prompt and answer together, tokens. */
      contextLength: z.int().positive(),
      /** Mean length of an answer in tokens, if a source gives it. `bin/stp plan` uses it. */
      meanTokens: z.int().positive().nullable(),
    }),
  })
  .superRefine((format, context) => {
    const issue = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
    if (format.mode === 'chat' && format.marks === null) issue(['marks'], 'a chat needs the marks of its messages');
    if (format.mode === 'completion' && format.system !== null) issue(['system'], 'a completion has no system text');
    if (format.prover.answer.form === 'code-block' && !format.prover.answer.repeatsStatement)
      issue(['prover', 'answer', 'repeatsStatement'], 'the answer of a code block is found by the theorem in it');
    if (!/\{(?:statement|shownStatement)\}/u.test(format.prover.prompt))
      issue(['prover', 'prompt'], 'shows neither {statement} nor {shownStatement}');
  });
export type PromptFormat = z.infer<typeof promptFormatSchema>;

/** Formats that are files of this repository (`data/formats`). */
export const FORMAT_NAMES = [
  'embedded',
  'stp',
  'deepseek-prover-v1.5',
  'deepseek-prover-v2',
  'deepseek-prover-v2-direct',
  'goedel-prover-v2',
  'kimina-prover',
  'words',
] as const;
/** `custom`: the format in `prover.customFormat`. */
export const formatNameSchema = z.enum([...FORMAT_NAMES, 'custom']);
export type FormatName = z.infer<typeof formatNameSchema>;
