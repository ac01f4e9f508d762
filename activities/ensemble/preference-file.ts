/** Reads and writes preference pairs in TRL's format: JSON Lines of {prompt, chosen, rejected}. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { describeIssues, StpError } from '@stp/base';
import type { Preference } from '@stp/config';
import { z } from 'zod';

const LINE_CHARS_MAX = 1 << 20;

/** Further columns are allowed and ignored. */
const rowSchema = z.object({
  prompt: z.string().min(1),
  chosen: z.string(),
  rejected: z.string(),
});

export async function writePreferences(path: string, pairs: Iterable<Preference>): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const { prompt, chosen, rejected } of pairs)
      await file.write(`${JSON.stringify({ prompt, chosen, rejected })}\n`);
  } finally {
    await file.close();
  }
}

/** Throws STP1501 with the number of the first bad line, and STP1002 for a file that cannot be read. */
export async function readPreferences(path: string): Promise<Preference[]> {
  const pairs: Preference[] = [];
  let number = 0;
  const invalid = (problem: string): StpError =>
    new StpError(
      'STP1501',
      `${path}:${number}: ${problem}`,
      'Each line must be an object {prompt, chosen, rejected} of texts.',
    );
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (line.trim() === '') continue;
      if (line.length > LINE_CHARS_MAX) throw invalid(`longer than ${LINE_CHARS_MAX} characters`);
      let json: unknown;
      try {
        json = JSON.parse(line);
      } catch {
        throw invalid('not JSON');
      }
      const row = rowSchema.safeParse(json);
      if (!row.success) throw invalid(describeIssues(row.error));
      if (row.data.chosen === row.data.rejected) throw invalid('both sides are the same text');
      pairs.push({ ...row.data, weight: 1, role: 'prover' });
    }
  } catch (error) {
    if (error instanceof StpError) throw error;
    throw new StpError(
      'STP1002',
      `${path} cannot be read: ${(error as Error).message}`,
      'Give the path of a JSON Lines file.',
    );
  }
  return pairs;
}
