/**
 * Runs selection at scale: a synthetic round through `collectRound`, `chooseConjectures`, `finishRound` and
 * `retrainSet`, in a separate process whose memory is measured. `node test/activities/measured-selection.ts SAMPLES`
 * prints figures and counts as JSON.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import type { RoundCounts } from '@stp/config/records';
import { MockActivityEnvironment } from '@temporalio/testing';
import { execa } from 'execa';
import { chooseConjecturesActivity } from '../../activities/control/choose-conjectures.ts';
import { collectRoundActivity } from '../../activities/control/collect-round.ts';
import { finishRoundActivity } from '../../activities/control/finish-round.ts';
import { retrainSetActivity } from '../../activities/control/retrain-set.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { repositorySources } from '../../workers/sources.ts';
import { writeSyntheticRound } from './synthetic-round.ts';

/** Heap of the measured process: what is not streamed does not fit. */
const HEAP_MEBIBYTES = 512;
const STATEMENTS_PER_SHARD = 500;

export interface SelectionFigures {
  readonly counts: RoundCounts;
  /** Examples of the retraining set. */
  readonly retrained: number;
  readonly secondsPerStep: Readonly<Record<string, number>>;
  readonly rssBytesMax: number;
}

/** Plays the synthetic round in a fresh process with a small heap. */
export async function measureSelection(samples: number): Promise<SelectionFigures> {
  const script = fileURLToPath(import.meta.url);
  const { stdout } = await execa(process.execPath, [`--max-old-space-size=${HEAP_MEBIBYTES}`, script, `${samples}`], {
    stderr: 'inherit',
  });
  return JSON.parse(stdout.split('\n').at(-1)!) as SelectionFigures;
}

export const selectionConfig = resolveConfig({
  preset: 'stp-code',
  set: { 'conjectures.inelegantShare': 0, 'conjectures.transport': null },
});

async function play(samples: number): Promise<SelectionFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'stp-selection-'));
  try {
    const store = await openStore(pathToFileURL(join(directory, 'store')).href);
    const ports = { store: async () => store, scratch: async () => directory, sources: repositorySources() };
    const activities = {
      ...collectRoundActivity(ports),
      ...chooseConjecturesActivity(ports),
      ...finishRoundActivity(ports),
      ...retrainSetActivity(ports),
    };
    const secondsPerStep: Record<string, number> = {};
    const timed = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
      const started = performance.now();
      try {
        return await work();
      } finally {
        secondsPerStep[step] = (performance.now() - started) / 1_000;
      }
    };
    const run = <A, R>(activity: (input: A) => Promise<R>, input: A): Promise<R> =>
      new MockActivityEnvironment().run(activity, input) as Promise<R>;
    const round = await timed('writing it', () =>
      writeSyntheticRound(store, selectionConfig, samples, STATEMENTS_PER_SHARD),
    );
    const { context, shards, conjectures } = round;
    const collected = await timed('collect', () => run(activities.collectRound, { ...context, shards, conjectures }));
    const chosen = await timed('choose conjectures', () =>
      run(activities.chooseConjectures, {
        ...context,
        conjectures,
        rates: collected.rates,
        proved: collected.proved,
      }),
    );
    const finished = await timed('finish', () =>
      run(activities.finishRound, {
        ...context,
        modelIn: 'synthetic',
        shards,
        conjectures,
        conjecturesMade: conjectures.count,
        gate: {},
        ...collected,
        conjecturesKept: chosen.chosen,
        conjecturesMatched: chosen.chosen,
      }),
    );
    const retrained = await timed('retraining set', () =>
      run(activities.retrainSet, { ...context, name: 'retrain/1', history: [finished.manifest] }),
    );
    // Kibibytes on every system: libuv converts.
    const rssBytesMax = process.resourceUsage().maxRSS * 1_024;
    return { counts: finished.counts, retrained: retrained.count, secondsPerStep, rssBytesMax };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(JSON.stringify(await play(Number(process.argv[2]))));
