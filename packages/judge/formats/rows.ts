/** JSON rows: our own, and those of DeepSeekMath-V2's published outputs, distinguished by their fields. */

import { CANDIDATE_CHARS_MAX, PROBLEM_CHARS_MAX, type ScaleName, scaleSchema } from '@stp/config/records';
import { z } from 'zod';
import { issueOf } from '../questions/question.ts';
import { scaleOf } from '../scale.ts';
import type { Item } from './item.ts';

const id = z.string().min(1).max(128);
const text = z.string().min(1).max(PROBLEM_CHARS_MAX);
const proof = z.string().max(CANDIDATE_CHARS_MAX);

const ownSchema = z.strictObject({
  id,
  set: z.string().max(128).default('judged'),
  /** If missing, each row is a problem of its own. */
  problemId: id.optional(),
  problem: text,
  scale: scaleSchema.optional(),
  rubric: text.optional(),
  reference: text.optional(),
  /** If missing, the row is a problem alone. */
  proof: proof.optional(),
  human: z.number().optional(),
  automatic: z.number().min(0).max(1).optional(),
  split: z.enum(['train', 'held-out']).optional(),
});
type OwnRow = z.infer<typeof ownSchema>;

const deepseekSchema = z.object({
  question: text,
  problem_idx: id,
  solution: text.optional(),
  'grading guidelines': text.optional(),
  model_prediction: z.object({
    proof,
    average_automatic_rating: z.number().min(0).max(1).nullish(),
    human_rating: z.number().nullish(),
  }),
});

/** Scale by contest, with which the outputs were marked. */
const DEEPSEEK_SCALES: readonly (readonly [RegExp, ScaleName])[] = [
  [/^(?:IMO|PB-)/u, '0-7'],
  [/^CMO/u, '0-21'],
  [/^Putnam/u, '0-10'],
];

/** Returns the item of a row, or what is wrong with the row. */
export function itemOfRow(row: unknown): Item | string {
  const isDeepseek = typeof row === 'object' && row !== null && 'model_prediction' in row;
  const parsed = isDeepseek ? deepseekSchema.safeParse(row) : ownSchema.safeParse(row);
  if (!parsed.success) return issueOf(parsed.error);
  return isDeepseek ? fromDeepseek(parsed.data as z.infer<typeof deepseekSchema>) : fromOwn(parsed.data as OwnRow);
}

function fromOwn(row: OwnRow): Item | string {
  const {
    id: itemId,
    problemId = itemId,
    set,
    problem,
    scale,
    rubric,
    reference,
    human,
    automatic = null,
    split,
  } = row;
  if (human !== undefined && scale === undefined) return 'human: a mark needs its scale';
  if (human !== undefined && !scaleOf(scale!).has(human)) return `human: ${human} is not on the scale ${scale}`;
  return {
    id: itemId,
    problemId,
    set,
    problem,
    automatic,
    grading: { ...(scale ? { scale } : {}), ...(rubric ? { rubric } : {}), ...(reference ? { reference } : {}) },
    answer: row.proof ?? null,
    human: human === undefined ? null : { raw: human, scale: scale! },
    split: split ?? null,
  };
}

function fromDeepseek(row: z.infer<typeof deepseekSchema>): Item | string {
  const { question, problem_idx: problemId, solution, model_prediction: prediction } = row;
  const scale = DEEPSEEK_SCALES.find(([contest]) => contest.test(problemId))?.[1];
  if (scale === undefined) return `problem_idx: full marks of ${problemId} are not known`;
  const rubric = row['grading guidelines'];
  const { human_rating: human } = prediction;
  if (typeof human === 'number' && !scaleOf(scale).has(human))
    return `human_rating: ${human} is not on the scale ${scale}`;
  return {
    id: problemId,
    problemId,
    set: problemId.replace(/-[A-Z]?\d+$/u, ''),
    problem: question,
    grading: { scale, ...(rubric ? { rubric } : {}), ...(solution ? { reference: solution } : {}) },
    answer: prediction.proof,
    human: typeof human === 'number' ? { raw: human, scale } : null,
    automatic: prediction.average_automatic_rating ?? null,
    split: null,
  };
}

/** Returns a row that `itemOfRow` reads back. */
export function ownRow(item: Item): OwnRow {
  const { id: itemId, problemId, set, problem, grading, answer, human, automatic, split } = item;
  return {
    id: itemId,
    set,
    problemId,
    problem,
    ...(human === null ? {} : { human: human.raw }),
    ...grading,
    ...(human === null ? {} : { scale: human.scale }),
    ...(answer === null ? {} : { proof: answer }),
    ...(automatic === null ? {} : { automatic }),
    ...(split === null ? {} : { split }),
  };
}
