/**
 * The rows of `stp verify`: one JSON object per line. Four keys are read, strictly; further ones, which every data set
 * has, are passed over or kept. An invalid line gets an answer in its place; reading continues.
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

/** The further keys of a row with their values; null where the line is no object. */
type Further = Readonly<Record<string, unknown>> | null;

export type VerifyRow = z.infer<typeof rowSchema> & { readonly further?: Further };

export interface InvalidRow {
  /** Where one could be read. */
  readonly id: string | null;
  /** With the number of its line. */
  readonly problem: string;
  readonly further?: Further;
}

/** Yields rows in order, blank lines left out. Further keys are there if they are to be kept. */
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
  // `fromEntries` makes a property of every key, `__proto__` too.
  const further = Object.fromEntries(Object.entries(value).filter(([key]) => !KEYS.has(key)));
  const problem = parsed.success
    ? (twice(text) ?? misspelt(value) ?? halved(parsed.data))
    : describeIssues(parsed.error);
  if (parsed.success && problem === null) return { ...parsed.data, further };
  const { id } = value as { id?: unknown };
  return { ...invalid(line, problem!, typeof id === 'string' ? id.slice(0, ID_CHARS_MAX) : null), further };
}

/** JSON takes the last of two equal keys and some readers the first: a row says each of its four keys once. */
function twice(text: string): string | null {
  const key = repeatedKey(text, (written) => written.depth === 1 && KEYS.has(written.key));
  return key === null ? null : `it has two keys ${key}`;
}

/** No file and no hash can hold half a character, so the proof that is judged would be another one. */
function halved(row: object): string | null {
  const at = halfCharacterAt(row);
  return at === null ? null : `${at.join('.')}: ${HALF_CHARACTER}`;
}

/**
 * Returns the misspelt key of a header. Without its header a statement may mean something else, so no header is passed over for
 * a letter.
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
