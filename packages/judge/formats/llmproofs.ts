/** LLMProofs' output files: questions, each with the answers of several runs. */
import { z } from 'zod';
import { issueOf } from '../questions/question.ts';
import type { Item } from './item.ts';

const fileSchema = z.object({
  metadata: z.looseObject({ model: z.string().optional(), benchmark: z.string().optional() }),
  results: z.record(
    z.string(),
    z.object({
      question: z.string(),
      responses: z.array(
        z.object({
          run_id: z.union([z.number(), z.string()]),
          reasoning: z.string().nullish(),
          answer: z.string().nullish(),
        }),
      ),
    }),
  ),
  problem_metadata: z
    .record(z.string(), z.object({ source: z.string().optional(), problem_text: z.string().optional() }))
    .default({}),
});

/** Returns an item for each answer, or the first problem found in the file. */
export function llmproofsItems(json: unknown): Item[] | string {
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) return issueOf(parsed.error);
  const { metadata, results, problem_metadata: problems } = parsed.data;
  return Object.entries(results).flatMap(([key, { question, responses }]) =>
    responses.map(
      ({ run_id: run, answer }): Item => ({
        id: `${key}/${run}`,
        problemId: key,
        set: metadata.benchmark ?? 'llmproofs',
        problem: problems[key]?.problem_text ?? question,
        ...{ grading: {}, answer: answer ?? '', human: null, automatic: null, split: null },
      }),
    ),
  );
}

const THINKING = /<think>([\s\S]*?)<\/think>/u;

/** Writes LLMProofs' form, without fields that only its sampler knows (seconds, GPUs). */
export function llmproofsFile(items: readonly Item[]): object {
  const byProblem = Map.groupBy(
    items.filter(({ answer }) => answer !== null),
    ({ problemId }) => problemId,
  );
  const problems = [...byProblem];
  const entries = <Value>(of: (items: readonly Item[]) => Value): Record<string, Value> =>
    Object.fromEntries(problems.map(([id, its]) => [id, of(its)]));
  const responses = problems.reduce((sum, [, its]) => sum + its.length, 0);
  return {
    metadata: {
      benchmark: items[0]?.set ?? 'judged',
      copies_per_question: Math.max(0, ...problems.map(([, its]) => its.length)),
      total_questions: problems.length,
      total_responses: responses,
    },
    results: entries((its) => ({
      question: its[0]!.problem,
      num_responses: its.length,
      responses: its.map(({ answer }, at) => ({
        run_id: at,
        reasoning: THINKING.exec(answer!)?.[1]?.trim() ?? '',
        answer: answer!.replace(THINKING, '').trim(),
      })),
    })),
    problem_metadata: entries((its) => ({ source: its[0]!.set, problem_text: its[0]!.problem })),
  };
}
