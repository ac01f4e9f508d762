/** A run's figures round by round (STP's RL_show_train_stats): cumulative pass rate and counts, from its manifests. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StpError } from '@stp/base';
import { type ObjectStore, type RoundCounts, roundManifestSchema } from '@stp/config/records';
import { readJson } from '../../activities/records/record-files.ts';
import { openStore } from '../../infra/stores/open-store.ts';

/** Width of the widest heading, `conjecturer`, with a blank before it. */
const COLUMN_WIDTH = 12;

interface RoundFigures extends Pick<RoundCounts, 'attempted' | 'samples' | 'provedThisRound' | 'provedEver'> {
  readonly round: number;
  /** Share of the dataset's statements proved so far; null where the run has no list of them. */
  readonly cumulativePassRate: number | null;
  readonly conjecturesMade: number;
  readonly conjecturesProved: number;
  readonly proverExamples: number;
  readonly conjecturerExamples: number;
}

/** @param run folder or URI of a run, finished or not */
export async function roundTable(run: string, asJson: boolean): Promise<string> {
  const store = await openStore(run.includes('://') ? run : pathToFileURL(resolve(run)).href);
  const rounds = await figuresOf(store);
  if (rounds.length === 0)
    throw new StpError(
      'STP1502',
      `${run} has no finished round`,
      'Name the folder of a run; its rounds are under rounds/.',
    );
  if (asJson) return JSON.stringify(rounds, null, 2);
  const header = [
    'round',
    'attempted',
    'samples',
    'proved',
    'ever',
    'pass rate',
    'made',
    'proved',
    'prover',
    'conjecturer',
  ];
  const rows = rounds.map((one) => [
    one.round,
    one.attempted,
    one.samples,
    one.provedThisRound,
    one.provedEver,
    one.cumulativePassRate === null ? '–' : `${(100 * one.cumulativePassRate).toFixed(2)} %`,
    one.conjecturesMade,
    one.conjecturesProved,
    one.proverExamples,
    one.conjecturerExamples,
  ]);
  const groups = [
    ['', 3],
    ['statements', 3],
    ['conjectures', 2],
    ['examples', 2],
  ] as const;
  const lines = [header, ...rows].map((row) => row.map((cell) => String(cell).padStart(COLUMN_WIDTH)).join(''));
  return [groups.map(([name, columns]) => name.padStart(COLUMN_WIDTH * columns)).join(''), ...lines].join('\n');
}

/** If a round was tried from several models, its last manifest counts. */
async function figuresOf(store: ObjectStore): Promise<RoundFigures[]> {
  const statements = (await store.stat('data/train/statements.jsonl'))?.count ?? 0;
  const rounds = new Map<number, RoundFigures>();
  const found: { name: string; updated: Date }[] = [];
  for await (const object of store.list('rounds/'))
    if (/^rounds\/[^/]+\/manifest\.json$/.test(object.name)) found.push(object);
  found.sort((a, b) => a.updated.getTime() - b.updated.getTime());
  for (const { name } of found) {
    const ref = await store.stat(name);
    if (ref === null) continue;
    const { round, counts } = await readJson(store, ref, roundManifestSchema);
    rounds.set(round, {
      round,
      attempted: counts.attempted,
      samples: counts.samples,
      provedThisRound: counts.provedThisRound,
      provedEver: counts.provedEver,
      cumulativePassRate: statements === 0 ? null : counts.provedEver / statements,
      conjecturesMade: counts.conjecturesMade,
      conjecturesProved: counts.conjecturesProved,
      proverExamples: counts.proverExamples,
      conjecturerExamples: counts.conjecturerExamples,
    });
  }
  return [...rounds.values()].sort((a, b) => a.round - b.round);
}
