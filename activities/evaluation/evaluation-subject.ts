/** The model and the statements of an evaluation. They never change: a command that names others is refused. */

import { StpError } from '@stp/base';
import { checkpointRefSchema, type EvaluatedStatements, evaluatedStatementsSchema } from '@stp/config/records';
import type { z } from 'zod';

/** Name of the object in the evaluation's folder that records its model and statements. */
export const EVALUATION_SUBJECT = 'evaluated.json';
export const evaluationSubjectSchema = evaluatedStatementsSchema.extend({ checkpoint: checkpointRefSchema });
export type EvaluationSubject = z.infer<typeof evaluationSubjectSchema>;

const OPTIONS = {
  split: '--split',
  nameFilter: '--name-filter',
  theorems: '--num-theorems',
  library: '--library',
} as const;

/**
 * Throws STP1002 if the evaluation was started with another model (hash of its weights) or other statements than the
 * command names.
 */
export function requireSameSubject(
  run: string,
  subject: EvaluationSubject,
  wanted: EvaluatedStatements & { readonly model: string },
): void {
  const { model } = subject.checkpoint;
  const other = (Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]).find((key) => subject[key] !== wanted[key]);
  const was =
    model !== wanted.model
      ? `model ${model}, not ${wanted.model}`
      : other !== undefined
        ? `${OPTIONS[other]} ${subject[other] || '(none)'}, not ${wanted[other] || '(none)'}`
        : null;
  if (was === null) return;
  throw new StpError(
    'STP1002',
    `evaluation ${run} was started with ${was}`,
    'Give the same options to take it up again, or another folder.',
  );
}
