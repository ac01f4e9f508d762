/**
 * The rows of `stp verify`: one JSON object per line. Four keys are checked strictly; further keys, which every data
 * set has, are ignored or kept. An invalid line gets an answer at its position, and reading continues.
 */

import { describeIssues, editDistance, HALF_CHARACTER, halfCharacterAt, repeatedKey } from '@stp/base';
import { anyLinesOf, LINE_BYTES_MAX } from '@stp/base/files';
import { libraryTheoremSchema, sampleSchema, statementSchema } from '@stp/config/records';
import { z } from 'zod';

const ID_CHARS_MAX = 128;
const PROBLEM_CHARS_MAX = 400;

const rowSchema = z.object({
  id: z.string().max(ID_CHARS_MAX),
  /** Imports and opens; null or missing: the library header. */
  header: statementSchema.shape.header.default(null),
  statement: libraryTheoremSchema.shape.statement,
  /** Tactic block. */
  proof: sampleSchema.shape.proof,
});
const KEYS: ReadonlySet<string> = new Set(Object.keys(rowSchema.shape));

/** A row's further keys with their values; null if the line is no object. */
type Further = Readonly<Record<string, unknown>> | null;

export type VerifyRow = z.infer<typeof rowSchema> & { readonly further?: Further };

export interface InvalidRow {
  /** Null if no id could be read. */
  readonly id: string | null;
  /** The problem, with the line number. */
  readonly problem: string;
  readonly further?: Further;
}

/** Yields rows in order and skips blank lines. Further keys are included if `keep` is set. */
export async function* rowsOf(chunks: AsyncIterable<Buffer>, keep = false): AsyncGenerator<VerifyRow | InvalidRow> {
  for await (const found of anyLinesOf(chunks, LINE_BYTES_MAX)) {
    const row =
      'text' in found
        ? readRow(found.text, found.line)
        : invalid(
            found.line,
            found.problem === 'too long' ? `it is longer than ${LINE_BYTES_MAX} bytes` : 'it is not UTF-8',
          );
    if (keep) yield { further: null, ...row };
    else {
      const { further: _, ...rest } = row;
      yield rest as typeof row;
    }
  }
}

function readRow(text: string, line: number): VerifyRow | InvalidRow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid(line, 'it is not JSON');
  }
  const parsed = rowSchema.safeParse(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid(line, describeIssues(parsed.error!, 'it'));
  // `fromEntries` makes a property of every key, even `__proto__`.
  const further = Object.fromEntries(Object.entries(value).filter(([key]) => !KEYS.has(key)));
  const problem = parsed.success
    ? (twice(text) ?? misspelt(value) ?? halved(parsed.data))
    : describeIssues(parsed.error);
  if (parsed.success && problem === null) return { ...parsed.data, further };
  const { id } = value as { id?: unknown };
  return { ...invalid(line, problem!, typeof id === 'string' ? id.slice(0, ID_CHARS_MAX) : null), further };
}

/**
 * Finds a repeated key: JSON parsers differ in which of two equal keys they take, so each of the four keys must be
 * unique.
 */
function twice(text: string): string | null {
  const key = repeatedKey(text, (written) => written.depth === 1 && KEYS.has(written.key));
  return key === null ? null : `it has two keys ${key}`;
}

/** Finds an unpaired surrogate, which no file or hash can represent: another proof would be judged. */
function halved(row: object): string | null {
  const at = halfCharacterAt(row);
  return at === null ? null : `${at.join('.')}: ${HALF_CHARACTER}`;
}

/**
 * Returns a misspelt key that was meant as `header`. Without its header a statement may mean something else, so a
 * misspelling must not silently drop it.
 */
function misspelt(row: object): string | null {
  if ('header' in row) return null;
  const near = Object.keys(row).find(
    (key) => key.length <= 10 && !KEYS.has(key) && editDistance(key.trim().toLowerCase(), 'header') <= 1,
  );
  return near === undefined ? null : `it has no header but ${JSON.stringify(near)}: write header`;
}

function invalid(line: number, problem: string, id: string | null = null): InvalidRow {
  return { id, problem: `line ${line}: ${problem.slice(0, PROBLEM_CHARS_MAX)}` };
}
