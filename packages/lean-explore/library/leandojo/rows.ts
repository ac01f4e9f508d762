/**
 * The row formats of LeanDojo Benchmark 4 (arXiv 2306.15626, appendix). A line of `corpus.jsonl` is a file with its
 * premises. An element of `SPLIT/{train,val,test}.json` is a theorem with its traced tactics. Unknown keys are dropped.
 */
import { z } from 'zod';

const name = z.string().min(1).max(1_024);
const path = z.string().min(1).max(1_024);
/** Line and column, both 1-based; some rows have column 0. */
const position = z.tuple([z.number().int().positive().max(9_999_999), z.number().int().nonnegative().max(999_999)]);
export type Position = z.infer<typeof position>;

export const corpusFileSchema = z.object({
  path,
  /** Paths of the imported files, which have earlier lines. */
  imports: z.array(path),
  premises: z.array(
    z.object({
      /** Null for an anonymous declaration, such as an instance. */
      full_name: z.string().max(4_096).nullable(),
      /** A theorem's signature, or the complete text of a definition. */
      code: z.string(),
      start: position,
      end: position,
      kind: z.string().max(256),
    }),
  ),
});
export type CorpusFile = z.infer<typeof corpusFileSchema>;

const annotationSchema = z.object({ full_name: name, def_path: path, def_pos: position, def_end_pos: position });

export const theoremRowSchema = z.object({
  file_path: path,
  full_name: z.string().min(1).max(256),
  start: position,
  end: position,
  traced_tactics: z.array(
    z.object({
      tactic: z.string(),
      /** The tactic with `<a>…</a>` around premise names, and the premises in that order. */
      annotated_tactic: z.tuple([z.string(), z.array(annotationSchema)]),
      /** All goals as Lean prints them, separated by blank lines. */
      state_before: z.string(),
      /** All goals after the tactic, or `no goals`. */
      state_after: z.string(),
    }),
  ),
  url: z.string().max(1_024),
  commit: z.string().max(128),
});
export type TheoremRow = z.infer<typeof theoremRowSchema>;
export type TacticRow = TheoremRow['traced_tactics'][number];

export const NO_GOALS = 'no goals';
