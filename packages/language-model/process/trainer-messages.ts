/**
 * The messages of the scripts of `packages/language-model/trainers/python/` on their standard output, one per line; a schema checks each before
 * use.
 */

import { ERROR_CODES, type ErrorCode, StpError } from '@stp/base';
import { z } from 'zod';

/** Longest line: a failure with its message and advice. */
export const LINE_CHARS_MAX = 64 * 1024;

const count = z.int().nonnegative();
const code = z.string().refine((text): text is ErrorCode => text in ERROR_CODES, 'no code of this project');

const rowsSchema = z.strictObject({
  /** Names in the folder that was asked for. */
  files: z.array(z.string().regex(/^[\w.-]+$/)),
  rows: count,
  examples: count,
  tokens: count,
  tooLong: count,
});
export type WrittenRows = z.infer<typeof rowsSchema>;

/** Most files of a node's state: two for each process, and one that lists them. */
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
  /** The state of after this step is in its folder; said when what was said last has been copied. */
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
  /** `levanter_rows.py`: what it wrote. */
  z.strictObject({ type: z.literal('rows'), train: rowsSchema, heldOut: rowsSchema }),
  /** `seal_checkpoint.py`: the checkpoint is there. */
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

/** Throws STP1301 where the trainer does not write such a line. */
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
