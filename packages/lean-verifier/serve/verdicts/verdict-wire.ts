/** Requests and answers of `POST /api/verify`, the project's own contract for verdicts. */
import { checkRecordSchema, verdictKindSchema } from '@stp/config/records';
import { z } from 'zod';
import { SNIPPETS_MAX } from '../limits.ts';

const ID_CHARS_MAX = 128;
/** Longer answers are not read; they get a verdict that says so. */
export const ANSWER_TEXT_CHARS_MAX = 1_048_576;

const rowSchema = z
  .strictObject({
    id: z.string().max(ID_CHARS_MAX),
    header: z.string().nullable().default(null).describe('Imports, opens and definitions; null: the library’s header'),
    statement: z.string().describe('`theorem NAME BINDERS : TYPE`, without `:=`'),
    proof: z.string().optional().describe('The tactic block behind `:= by`'),
    answer: z.string().optional().describe('In place of `proof`: a model’s answer, read by `format`'),
    format: z.string().optional().describe('A prompt format; `formats` of GET /api/environment lists them'),
    finish: z.enum(['stop', 'length']).default('stop').describe('`length`: the answer ended at its token limit'),
    when_changed: z
      .enum(['ours', 'refuse'])
      .nullish()
      .describe('An answer that states another theorem: tried under ours, or refused. Null: as the format says'),
  })
  .refine(({ proof, answer }) => (proof === undefined) !== (answer === undefined), {
    message: 'has one of `proof` and `answer`',
  })
  .refine(({ answer, format }) => answer === undefined || format !== undefined, {
    message: 'has an `answer` and no `format`',
    path: ['format'],
  });
export type VerifyRequestRow = Readonly<z.infer<typeof rowSchema>>;

export const verifyRequestSchema = z.strictObject({ rows: z.array(rowSchema).min(1).max(SNIPPETS_MAX) });

const resultSchema = z.object({
  id: z.string(),
  verdict: verdictKindSchema.describe('As `bin/stp verify` has them; `infra`: there is no verdict, try again'),
  axioms: z.array(z.string()),
  checks: z.array(checkRecordSchema),
  message: z.string().describe('Why it is not proved; empty where it is'),
  proof: z.string().nullable().describe('The tactic block that was judged; null where there was none'),
  changed: z.boolean().describe('The answer states another theorem'),
  dropped: z.string().nullable().describe('Commands of the answer that the proof was tried without'),
});
export type VerifyResult = Readonly<z.infer<typeof resultSchema>>;
export const verifyAnswerSchema = z.object({ results: z.array(resultSchema) });
