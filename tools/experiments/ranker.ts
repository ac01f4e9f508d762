/** Trains a ranker of actions on the tries of several runs, for other runs to start from (`data/rankers`). */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ActionRanker, type Try } from '@stp/selfplay';
import { readTries, triesIn } from '../../activities/provers/scripts/rank-actions.ts';
import { DATA } from '../../workers/settings.ts';
import { playedRounds } from './played-rounds.ts';

const SEED = 1;

/** Writes `data/rankers/NAME.bin`. Returns the number of tries that it learned from, and of those that proved. */
export async function writeRanker(name: string, runs: readonly string[]): Promise<{ tries: number; proved: number }> {
  const tries: Try[] = [];
  for (const run of runs) {
    const { store, manifests } = await playedRounds(run);
    for (const ref of triesIn(manifests)) for await (const one of readTries(store, ref)) tries.push(one);
  }
  await mkdir(join(DATA, 'rankers'), { recursive: true });
  await writeFile(join(DATA, 'rankers', `${name}.bin`), ActionRanker.trained(tries, SEED).weights());
  return { tries: tries.length, proved: tries.filter(({ proved }) => proved).length };
}
