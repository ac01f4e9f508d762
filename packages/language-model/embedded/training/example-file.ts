/**
 * Reads a file of training records (JSON Lines) line by line, in bounded memory. Reports an invalid line with file and
 * line number. Synchronous, because training has its own process.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { describeIssues, StpError } from '@stp/base';
import type { Objective } from '../objectives/objective.ts';

const CHUNK_BYTES = 1 << 16;
/** Maximum line length; statements and proofs have at most tens of kilobytes (`packages/config/schemas/records.ts`). */
const LINE_BYTES_MAX = 1 << 20;
const NEWLINE = 0x0a;

/**
 * Yields the records of a file in order and skips empty lines. Throws STP1501 naming the first bad line, or STP1002.
 */
export function* readRows<Row, Numbers>(path: string, objective: Objective<Row, Numbers>): Generator<Row> {
  let number = 0;
  for (const line of readLines(path)) {
    number += 1;
    if (line.trim() === '') continue;
    yield parseRow(line, `${path}:${number}`, objective);
  }
}

function parseRow<Row, Numbers>(line: string, location: string, objective: Objective<Row, Numbers>): Row {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (cause) {
    throw invalid(location, 'not JSON', cause);
  }
  const parsed = objective.schema.safeParse(json);
  if (!parsed.success) throw invalid(location, describeIssues(parsed.error), parsed.error);
  // The first target token needs at least one token before it.
  if (objective.sequences(parsed.data).some(({ prompt }) => prompt === ''))
    throw invalid(location, 'the prompt is empty');
  return parsed.data;
}

function* readLines(path: string): Generator<string> {
  const file = openExamples(path);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let pending: Buffer[] = [];
    let pendingBytes = 0;
    let number = 1;
    const keep = (part: Buffer) => {
      pendingBytes += part.length;
      if (pendingBytes > LINE_BYTES_MAX) throw invalid(`${path}:${number}`, `longer than ${LINE_BYTES_MAX} bytes`);
      pending.push(Buffer.from(part));
    };
    const take = () => {
      const line = Buffer.concat(pending).toString('utf8');
      pending = [];
      pendingBytes = 0;
      number += 1;
      return line;
    };
    for (
      let bytes = readSync(file, chunk, 0, chunk.length, null);
      bytes > 0;
      bytes = readSync(file, chunk, 0, chunk.length, null)
    ) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0 && end < bytes; end = chunk.indexOf(NEWLINE, start)) {
        keep(chunk.subarray(start, end));
        yield take();
        start = end + 1;
      }
      keep(chunk.subarray(start, bytes));
    }
    if (pendingBytes > 0) yield take();
  } finally {
    closeSync(file);
  }
}

function openExamples(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw new StpError('STP1002', `examples ${path} cannot be read`, 'Give the path of a JSON Lines file.', { cause });
  }
}

function invalid(location: string, problem: string, cause?: unknown): StpError {
  const advice =
    'Each line must be a record of the objective (packages/config/schemas/objectives/index.ts), with prompts that are not empty.';
  return new StpError('STP1501', `${location}: ${problem}`, advice, { facts: { location }, cause });
}
