/**
 * Reads published results of best-first search in llmstep's form (github.com/wellecks/llmstep, proofsearch.py): one
 * JSON object per file with the options of the search and a result per theorem.
 */
import { readFile, stat } from 'node:fs/promises';
import { StpError } from '@stp/base';
import { unreadable } from '@stp/base/files';
import { z } from 'zod';

const FILE_BYTES_MAX = 256 << 20;
const text = z.string().max(1_048_576);

const attemptSchema = z.discriminatedUnion('success', [
  z.object({
    theorem: text,
    success: z.literal(true),
    /** Tactics in order. */
    proof: z.array(text),
    /** Sum over the steps of the mean negative log-probability of a step's tokens. */
    score: z.number(),
    /** The steps, each with the whole state that it was run on. */
    trace: z.array(z.object({ tactic: text, state_before: text })),
  }),
  z.object({ theorem: text, success: z.literal(false), failure_reason: text }),
]);

const resultsSchema = z.object({
  results: z.array(
    z.object({
      attempt_results: z.array(attemptSchema).min(1),
      success: z.boolean(),
      example: z.object({ full_name: text, statement: text, file_path: text, split: text }),
    }),
  ),
});
export type SearchResult = z.infer<typeof resultsSchema>['results'][number];

/**
 * Reads a file's results in order. Throws STP1501 for a file of another form, or whose results contradict their
 * attempts; STP1405.
 */
export async function readSearchResults(path: string): Promise<readonly SearchResult[]> {
  let content: unknown;
  try {
    const { size } = await stat(path);
    if (size > FILE_BYTES_MAX) throw invalid(path, `${size} bytes are more than ${FILE_BYTES_MAX}`);
    content = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    if (cause instanceof SyntaxError) throw invalid(path, 'not JSON');
    throw cause instanceof StpError ? cause : unreadable(path, cause);
  }
  const parsed = resultsSchema.safeParse(content);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw invalid(path, `${issue.path.join('.') || 'file'}: ${issue.message}`);
  }
  const { results } = parsed.data;
  const wrong = results.find(({ success, attempt_results }) => success !== attempt_results.some((one) => one.success));
  if (wrong !== undefined) throw invalid(path, `${wrong.example.full_name}: success differs from its attempts'`);
  return results;
}

export interface SearchCounts {
  readonly theorems: number;
  readonly proved: number;
  /** Numbers of unproved theorems by the reason of the last attempt. */
  readonly failures: Readonly<Record<string, number>>;
  /**
   * Theorems whose search could not begin because the environment did not start. Some papers drop them from the
   * denominator.
   */
  readonly notBegun: number;
  /** Number of steps of all found proofs. */
  readonly steps: number;
}

const NOT_BEGUN = /^DojoInitError$/u;

/** Counts the results of all files. A repeated theorem counts once, as proved if one of its results is. */
export function countResults(results: Iterable<SearchResult>): SearchCounts {
  const byName = new Map<string, SearchResult>();
  for (const result of results) {
    const key = `${result.example.file_path}:${result.example.full_name}`;
    if (byName.get(key)?.success !== true) byName.set(key, result);
  }
  const failures: Record<string, number> = {};
  let [proved, steps] = [0, 0];
  for (const { attempt_results } of byName.values()) {
    const proof = attempt_results.find((one) => one.success);
    if (proof?.success === true) {
      proved += 1;
      steps += proof.trace.length;
    } else {
      const last = attempt_results.at(-1)!;
      const reason = last.success ? '' : last.failure_reason;
      failures[reason] = (failures[reason] ?? 0) + 1;
    }
  }
  const notBegun = Object.entries(failures).reduce(
    (sum, [reason, count]) => sum + (NOT_BEGUN.test(reason) ? count : 0),
    0,
  );
  return { theorems: byName.size, proved, failures, notBegun, steps };
}

function invalid(path: string, problem: string): StpError {
  return new StpError('STP1501', `${path}: ${problem}`, 'Is this a result file of llmstep’s proofsearch.py?', {
    facts: { path },
  });
}
