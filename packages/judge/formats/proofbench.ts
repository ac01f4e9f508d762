/** IMO-ProofBench's table: problems with solutions and grading guidelines, marked from 0 to 7. */
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { issueOf } from '../questions/question.ts';
import type { Item } from './item.ts';

const rowSchema = z.object({
  'Problem ID': z.string().min(1),
  Problem: z.string().min(1),
  Solution: z.string(),
  'Grading guidelines': z.string(),
});

/** Returns the problems in order, or the first fault of the table. */
export function proofbenchItems(text: string): Item[] | string {
  let rows: unknown[];
  try {
    rows = parse(text, { columns: true, bom: true, skip_empty_lines: true });
  } catch (error) {
    return (error as Error).message;
  }
  const items: Item[] = [];
  for (const [at, row] of rows.entries()) {
    const parsed = rowSchema.safeParse(row);
    if (!parsed.success) return `row ${at + 1}: ${issueOf(parsed.error)}`;
    const { 'Problem ID': id, Problem: problem, Solution: reference, 'Grading guidelines': rubric } = parsed.data;
    items.push({
      id,
      problemId: id,
      set: id.replace(/-\d+$/u, ''),
      problem,
      grading: { scale: '0-7', ...(rubric ? { rubric } : {}), ...(reference ? { reference } : {}) },
      answer: null,
      human: null,
      automatic: null,
      split: null,
    });
  }
  return items;
}
