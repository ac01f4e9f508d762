/** Published results of models of a family, for comparison with an evaluation (`data/published.json`). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatNameSchema } from '@stp/config';
import { z } from 'zod';

const PATH = join(import.meta.dirname, '..', '..', 'data', 'published.json');

const publishedSchema = z.strictObject({
  model: z.string(),
  /** Prompt format of the model's family. */
  format: formatNameSchema,
  /** Problem set and split, named like an evaluation's group. */
  set: z.string(),
  split: z.enum(['train', 'held-out']),
  k: z.int().positive(),
  /** pass@k. */
  percent: z.number().min(0).max(100),
  deviation: z.number().nonnegative().nullable(),
  source: z.url(),
});
export type Published = z.infer<typeof publishedSchema>;

export function publishedFigures(): Published[] {
  return z.array(publishedSchema).parse(JSON.parse(readFileSync(PATH, 'utf8')));
}

/**
 * Returns lines on a group (`minif2f held-out`) in a format, up to this number of samples. Papers use other versions of
 * a problem set, of Lean and of time limits, so the figures allow only a rough comparison.
 */
export function publishedLines(group: string, format: string | undefined, samples: number): string[] {
  const found = publishedFigures().filter(
    (one) =>
      one.format === format &&
      one.k <= samples &&
      [one.set, `${one.set}-test`].some((set) => group === `${set} ${one.split}`),
  );
  return found.map(
    ({ model, k, percent, deviation, source }) =>
      `  ${String(k).padStart(8)}  ${percent.toFixed(1).padStart(5)}${deviation === null ? '' : ` ± ${deviation.toFixed(1)}`}   published for ${model}, ${source}`,
  );
}
