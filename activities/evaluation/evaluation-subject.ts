/** The model and the split of an evaluation. They never change: a command that names others is refused. */
import { z } from 'zod';
import { StpError } from '../../data/errors.ts';
import { checkpointRefSchema } from '../../data/schemas/artifact.ts';

/** Name of the object in the evaluation's folder that says it. */
export const EVALUATION_SUBJECT = 'evaluated.json';
export const evaluationSubjectSchema = z.strictObject({ checkpoint: checkpointRefSchema, split: z.string() });
export type EvaluationSubject = z.infer<typeof evaluationSubjectSchema>;

/** STP1002 where an evaluation was started with another model (hash of its weights) or split than is now asked for. */
export function requireSameSubject(
  run: string,
  { checkpoint, split }: EvaluationSubject,
  wanted: { readonly model: string; readonly split: string },
): void {
  const was =
    checkpoint.model !== wanted.model
      ? `model ${checkpoint.model}, not ${wanted.model}`
      : split !== wanted.split
        ? `--split ${split}, not ${wanted.split}`
        : null;
  if (was === null) return;
  throw new StpError(
    'STP1002',
    `evaluation ${run} was started with ${was}`,
    'Give the same options to take it up again, or another folder.',
  );
}
