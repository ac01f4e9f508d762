/** The tries beside the repository's ranker of actions (`data/rankers/README.md`). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TriedStatement, triedStatementSchema } from '../../activities/provers/scripts/tries.ts';
import { DATA } from '../../workers/settings.ts';

export async function rankerTries(): Promise<TriedStatement[]> {
  const text = await readFile(join(DATA, 'rankers', 'tries.jsonl'), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [triedStatementSchema.parse(JSON.parse(line))]));
}
