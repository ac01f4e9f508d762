/**
 * The messages of the scripts of `packages/language-model/trainers/python/` on their standard output, one per line; a
 * schema checks each before use.
 */

import { ERROR_CODES, type ErrorCode, StpError } from '@stp/base';
import { z } from 'zod';

/** Maximum length of a line: a failure with its message and advice. */
export const LINE_CHARS_MAX = 64 * 1024;

const count = z.int().nonnegative();
const code = z.string().refine((text): text is ErrorCode => text in ERROR_CODES, 'no code of this project');

const rowsSchema = z.strictObject({
  /** File names in the requested folder. */
  files: z.array(z.string().regex(/^[\w.-]+$/)),
  rows: count,
  examples: count,
  tokens: count,
  tooLong: count,
});
export type WrittenRows = z.infer<typeof rowsSchema>;

/** Maximum files of a node's state: two for each process, and a list of them. */
const STATE_FILES_MAX = 1_024;
const stateFile = z.string().regex(/^step-\d+\/\w[\w.-]*$/);

const messageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('started'),
    processes: count,
    parameters: count,
    examples: count,
    tooLong: count,
    /** Steps that an interrupted training had done before. */
    fromStep: count,
  }),
  z.strictObject({
    type: z.literal('progress'),
    step: count,
    steps: count,
    loss: z.number(),
    gradientNorm: z.number(),
    tokensPerSecond: z.number(),
    heldOutLoss: z.number().nullable(),
  }),
  /** The state after this step is in its folder. Sent only once the previously announced state has been copied. */
  z.strictObject({ type: z.literal('kept'), step: count, files: z.array(stateFile).min(1).max(STATE_FILES_MAX) }),
  z.strictObject({
    type: z.literal('trained'),
    result: z.strictObject({
      steps: count,
      finalLoss: z.number(),
      heldOutLoss: z.number().nullable(),
      tokens: count,
      seconds: z.number().nonnegative(),
      tooLong: count,
      heldOutTooLong: count,
    }),
  }),
  /** The output of `levanter_rows.py`. */
  z.strictObject({ type: z.literal('rows'), train: rowsSchema, heldOut: rowsSchema }),
  /** From `seal_checkpoint.py`: the checkpoint is complete. */
  z.strictObject({ type: z.literal('sealed') }),
  z.strictObject({
    type: z.literal('failed'),
    code,
    message: z.string(),
    advice: z.string(),
    retryable: z.boolean(),
    systemCode: z.string().optional(),
  }),
]);
export type TrainerMessage = z.infer<typeof messageSchema>;

/** Throws STP1301 if a trainer writes no such line. */
export function parseMessage(line: string): TrainerMessage {
  try {
    return messageSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new StpError(
      'STP1301',
      `the trainer printed a line that is not a trainer message: ${line.slice(0, 200)}`,
      'Use the trainer of this version (packages/language-model/trainers/python), and print nothing else on its standard output.',
      { cause },
    );
  }
}
