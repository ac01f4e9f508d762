/**
 * The rows of `stp verify`: one JSON object per line. An invalid line gets an answer in its place; reading continues.
 */
import { z } from 'zod';
import { anyLinesOf, LINE_BYTES_MAX } from '../data/loaders/lines.ts';
import { libraryTheoremSchema, sampleSchema, statementSchema } from '../data/schemas/records.ts';

const ID_CHARS_MAX = 128;
const PROBLEM_CHARS_MAX = 400;

const rowSchema = z.strictObject({
  id: z.string().max(ID_CHARS_MAX),
  /** Imports and opens; null or missing: the library header. */
  header: statementSchema.shape.header.default(null),
  statement: libraryTheoremSchema.shape.statement,
  /** Tactic block. */
  proof: sampleSchema.shape.proof,
});

export type VerifyRow = z.infer<typeof rowSchema>;

export interface InvalidRow {
  /** Where one could be read. */
  readonly id: string | null;
  /** With the number of its line. */
  readonly problem: string;
}

/** In order, blank lines left out. */
export async function* rowsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<VerifyRow | InvalidRow> {
  for await (const found of anyLinesOf(chunks, LINE_BYTES_MAX)) {
    if ('text' in found) yield readRow(found.text, found.line);
    else if (found.problem === 'too long') yield invalid(found.line, `it is longer than ${LINE_BYTES_MAX} bytes`);
    else yield invalid(found.line, 'it is not UTF-8');
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
  if (parsed.success) return parsed.data;
  const { id } = Object(value) as { id?: unknown };
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  return invalid(line, problems.join('; '), typeof id === 'string' ? id.slice(0, ID_CHARS_MAX) : null);
}

function invalid(line: number, problem: string, id: string | null = null): InvalidRow {
  return { id, problem: `line ${line}: ${problem.slice(0, PROBLEM_CHARS_MAX)}` };
}
