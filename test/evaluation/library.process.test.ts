/** An evaluation of the portfolio with the lemmas that a run has grown, on real Lean. About ten seconds of a core. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '@stp/config';
import { type EvaluationPlan, NO_ROUND_COUNTS, type Proved, type Statement, sampleSchema } from '@stp/config/records';
import { proved, statement } from '@stp/config/testing';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveStateActivity } from '../../activities/control/save-state.ts';
import { prepareEvaluationActivity } from '../../activities/host/prepare-evaluation.ts';
import { sampleShardActivity } from '../../activities/host/sample-shard.ts';
import type { Ports } from '../../activities/ports.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { grownTheoremSchema } from '../../activities/round/library.ts';
import { PORTFOLIO } from '../../activities/round/portfolio.ts';
import type { Sampled } from '../../activities/round/sampled.ts';
import type { AssembledPorts } from '../../workers/assemble.ts';
import { writeManifest } from '../activities/manifests.ts';
import { runState } from '../activities/run-states.ts';
import { openAssembledPorts } from '../support/assembled-ports.ts';

const ISA = 'import Stp\nimport Stp.Problems.Isaplanner\nopen Stp.Problems.Isaplanner';
const HELPED = { ...statement('theorem helped (n m : Nat) : plus n m = plus m n'), header: ISA };
const OTHER_NAMES = { ...statement('theorem same (k : Nat) : plus k (plus 1 0) = plus 1 k'), header: ISA };

const folder = mkdtempSync(join(tmpdir(), 'stp-library-test-'));
let real: AssembledPorts;
let ports: Ports;
beforeAll(async () => {
  real = await openAssembledPorts(folder);
  const sources = {
    definitions: () => real.sources.definitions(),
    libraryTheorems: () => real.sources.libraryTheorems(),
    portfolioRecord: async () => null,
    async *problemSet(): AsyncGenerator<Statement> {
      yield* [HELPED, OTHER_NAMES];
    },
  };
  ports = {
    ...real,
    sources: { ...real.sources, ...sources },
    portfolioKept: async () => ({ rows: new Map(), add: async () => {} }),
  };
}, 280_000);
afterAll(async () => {
  await real?.close();
  rmSync(folder, { recursive: true, force: true });
});

const inActivity = async <T>(work: () => Promise<T>): Promise<T> =>
  (await new MockActivityEnvironment().run(work as never)) as T;

const lemma = (text: string, passRate: number): Proved =>
  proved(text, 'induction n <;> simp_all [plus]', { header: ISA, origin: 'conjecture', round: 1, passRate });

/** A run that certified these proofs in its last round. */
async function finishedRun(name: string, certified: readonly Proved[]): Promise<void> {
  const store = await real.store(name);
  const manifest = await writeManifest(store, 'rounds/1', { round: 1, proved: certified });
  const object = await writeRecords(store, 'data.jsonl', []);
  const outcome = {
    round: 1,
    manifest,
    checkpoint: { manifest: object, model: 'feed' },
    counts: NO_ROUND_COUNTS,
    secondsPerStage: {},
  };
  const state = runState(resolveConfig({ preset: 'smoke' }), object, { outcomes: [outcome], nextRound: 2 });
  await inActivity(() => saveStateActivity(real).saveState(name, state));
}

const prepare = (run: string, library: string | null) =>
  inActivity<EvaluationPlan>(() =>
    prepareEvaluationActivity(ports).prepareEvaluation(run, {
      preset: 'smoke',
      set: { 'sampling.samplesPerStatement': 1 },
      checkpoint: PORTFOLIO,
      modelName: PORTFOLIO,
      round: null,
      split: 'all',
      library,
    }),
  );

/** By name of the statement, the text of its one sample. */
async function textsOf(run: string, { shards, config, checkpoint, library }: EvaluationPlan) {
  const sampled = await inActivity<Sampled>(() =>
    sampleShardActivity(ports).sampleShard({ run, name: 'shard', items: shards[0]!, library, checkpoint, config }),
  );
  const samples = await readAll(await real.store(run), sampled.samples, sampleSchema);
  return new Map(samples.map(({ statementId, proof }) => [statementId, proof]));
}

describe('an evaluation with the library of a run', { timeout: 240_000 }, () => {
  it('proves by lemmas what no script proves without, but nothing by a lemma that says the same', {
    tags: ['slow'],
  }, async () => {
    await finishedRun('origin', [
      lemma('theorem a (n : Nat) : plus n 0 = n', 0.1),
      lemma('theorem b (n m : Nat) : plus n (m + 1) = plus n m + 1', 0.2),
      lemma('theorem c (n : Nat) : plus n (plus 1 0) = plus 1 n', 0.3),
    ]);
    const [without, plan] = [
      await prepare('without', null),
      await prepare('with', `${(await real.store('origin')).root}`),
    ];
    const library = await readAll(await real.store('with'), plan.library!, grownTheoremSchema);
    // All keep their marks: proofs of later lemmas may need them.
    expect(library.map(({ name, marks, restates }) => [name, marks.length, restates])).toEqual([
      ['Grown.g1', 2, undefined],
      ['Grown.g2', 2, undefined],
      ['Grown.g3', 2, [OTHER_NAMES.id]],
    ]);
    expect((await textsOf('without', without)).get(HELPED.id)).not.toContain('induction');
    const texts = await textsOf('with', plan);
    expect(texts.get(HELPED.id)).toMatch(/^open Grown\.marked3 in\n\s*induction/u);
    expect(texts.get(OTHER_NAMES.id)).not.toContain('open');
  });

  it('is refused where the run has grown none, where it is not in the same place, and where it was another’s', async () => {
    await finishedRun('empty', []);
    const refused = (problem: string) => ({ code: 'STP1002', message: expect.stringContaining(problem) });
    await expect(prepare('a', 'empty')).rejects.toMatchObject(refused('run empty has no grown library'));
    await expect(prepare('c', 'nowhere')).rejects.toMatchObject(refused('run nowhere has no grown library'));
    await expect(prepare('b', 'file:///elsewhere/run')).rejects.toMatchObject(refused('names no run in'));
    await expect(prepare('a', null)).rejects.toMatchObject(refused('--library empty, not (none)'));
  });
});
