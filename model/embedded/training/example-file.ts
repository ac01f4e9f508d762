/**
 * Reads a file of examples (JSON Lines) line by line, in bounded memory, and refuses a line that is not an example with
 * its file and line number. Synchronous: training owns its process.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import { StpError } from '../../../data/errors.ts';
import { type Example, exampleSchema } from '../../../data/schemas/records.ts';

const CHUNK_BYTES = 1 << 16;
/** Longest line; statements and proofs are capped at some tens of kilobytes (`data/schemas/records.ts`). */
const LINE_BYTES_MAX = 1 << 20;
const NEWLINE = 0x0a;

/** The examples of a file in order; empty lines are skipped. Throws STP1501 naming the first bad line, or STP1002. */
export function* readExamples(path: string): Generator<Example> {
  let number = 0;
  for (const line of readLines(path)) {
    number += 1;
    if (line.trim() === '') continue;
    yield parseExample(line, `${path}:${number}`);
  }
}

function parseExample(line: string, place: string): Example {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (cause) {
    throw invalid(place, 'not JSON', cause);
  }
  const parsed = exampleSchema.safeParse(json);
  if (!parsed.success) throw invalid(place, z.prettifyError(parsed.error), parsed.error);
  if (parsed.data.prompt === '') throw invalid(place, 'the prompt is empty');
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

function invalid(place: string, problem: string, cause?: unknown): StpError {
  const advice = 'Each line must be an example {prompt, target, weight, role} with a prompt and a weight of 0 or more.';
  return new StpError('STP1501', `${place}: ${problem}`, advice, { facts: { place }, cause });
}
