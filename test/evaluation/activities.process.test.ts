/** Tests the results of an evaluation's shards: counts, estimates, the log, and that the log gives the same figures again. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { resolveConfig } from '@stp/config';
import { contentId } from '@stp/config/ids';
import {
  type ArtifactRef,
  type EvaluationFiles,
  type EvaluationPlan,
  evaluationReportSchema,
  type ObjectStore,
  provedSchema,
  type Sample,
  type ShardResult,
  type Statement,
  type VerdictKind,
} from '@stp/config/records';
import { certificateOf, statement } from '@stp/config/testing';
import { readManifest } from '@stp/language-model';
import { SMALL_SHAPE, smallCheckpoint, writeCheckpoint } from '@stp/language-model/testing';
import { LIBRARY_HEADER } from '@stp/lean-verifier';
import { dedupeSamples } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVALUATION_LOG } from '../../activities/evaluation/evaluation-log.ts';
import { statementText, summariseLog } from '../../activities/evaluation/log-summary.ts';
import { shardSize } from '../../activities/evaluation/plan-evaluation-shards.ts';
import type { Collected } from '../../activities/host/collect-evaluation.ts';
import { collectEvaluationActivity } from '../../activities/host/collect-evaluation.ts';
import { prepareEvaluationActivity } from '../../activities/host/prepare-evaluation.ts';
import { writeEvaluationActivity } from '../../activities/host/write-evaluation.ts';
import type { LeanSandbox, RunScratch, RunStore, RunVerifier } from '../../activities/ports.ts';
import { SCRIPTS_MODEL } from '../../activities/provers/scripts/portfolio.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { leanOfVersion, unasked } from '../support/stand-ins.ts';

const SAMPLES = 8;
let directory: string;
let store: ObjectStore;
let ports: RunStore & RunScratch & LeanSandbox & RunVerifier<'environment'>;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-evaluate-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
  ports = {
    store: async () => store,
    scratch: async () => directory,
    sandbox: async () => ({ kind: 'bubblewrap', description: 'a test' }),
    verifier: async () => ({ environment: leanOfVersion('Lean test') }),
  };
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const member = (name: string, group: string): Statement =>
  statement(`theorem ${name} (n : Nat) : n = ${name}`, { labels: [group, 'tag'], split: 'held-out' });

const verdict = (one: Statement, sample: Sample, kind: VerdictKind): object => ({
  ...(kind === 'proved'
    ? { certificate: certificateOf(one.header ?? LIBRARY_HEADER, one.statement, sample.proof) }
    : {}),
  sampleId: sample.id,
  kind,
  messages:
    kind === 'rejected'
      ? [
          { severity: 'error', line: 1, column: 2, text: 'no' },
          { severity: 'warning', line: 1, column: 2, text: 'unused' },
        ]
      : [],
  premises: [],
  axioms: [],
  checkMs: 250,
  leanVersion: 'Lean test',
});

/**
 * A shard of one statement; each text is a sample. Its first word says what Lean answers, and the word `cut` or `empty` that it
 * ended at a limit of tokens.
 */
async function shardOf(
  one: Statement,
  texts: readonly string[],
  scripts: readonly string[] = [],
): Promise<ShardResult> {
  const rawOf = (text: string, index: number) => ({
    logprob: -1,
    statementId: one.id,
    index,
    text,
    seed: index,
    tokens: text.includes('empty') ? 0 : 1,
    finish: /cut|empty/.test(text) ? ('length' as const) : ('stop' as const),
  });
  const sampled = dedupeSamples(texts.map(rawOf), 'model');
  const byScripts = scripts.map((text, at) => rawOf(text, texts.length + at));
  const samples = dedupeSamples(byScripts, SCRIPTS_MODEL, sampled);
  const verdicts = samples.map((sample) => verdict(one, sample, sample.proof.split(' ')[0] as VerdictKind));
  const item = { statement: one, origin: 'dataset', samples: texts.length };
  const name = contentId(one.name, ...texts, ...scripts);
  return {
    items: await writeRecords(store, `${one.name}/items.jsonl`, [item]),
    samples: await writeRecords(store, `${name}/samples.jsonl`, samples),
    verdicts: await writeRecords(store, `${name}/verdicts.jsonl`, verdicts),
    sampleCount: texts.length,
    distinctCount: texts.length,
    tokens: texts.length,
    verdictCounts: { rejected: texts.length },
    provedStatements: 0,
    checkMs: 0,
  };
}

const inActivity = <T>(work: () => Promise<T>): Promise<T> => new MockActivityEnvironment().run(work) as Promise<T>;

async function evaluate(statements: readonly Statement[], shards: readonly ShardResult[], withScripts = false) {
  const list = await writeRecords(store, 'statements.jsonl', statements);
  const collected = await inActivity<Collected>(() =>
    collectEvaluationActivity(ports).collectEvaluation({
      run: 'test',
      name: 'evaluation',
      statements: list,
      samplesPerStatement: SAMPLES,
      shards,
      withScripts,
      model: 'model',
      round: 2,
      seed: 1,
    }),
  );
  const config = resolveConfig({ preset: 'smoke', set: { 'sampling.samplesPerStatement': SAMPLES } });
  const input = { preset: 'smoke', set: {}, checkpoint: '/m', modelName: 'm', round: 2, split: 'all' as const };
  const plan = { config, checkpoint: { manifest: list, model: 'model' }, statements: list, shards: [], library: null };
  const write = () =>
    inActivity<EvaluationFiles>(() =>
      writeEvaluationActivity(ports).writeEvaluation({ run: 'test', input, plan, shards, proved: collected.proved }),
    );
  return { collected, write };
}

const report = async () =>
  evaluationReportSchema.parse(JSON.parse(await readFile(join(directory, 'store', 'evaluation.json'), 'utf8')));

describe('what is evaluated', () => {
  it('is one model and split for good', async () => {
    const folders = await Promise.all(
      [5, 6].map(async (seed) => {
        const folder = join(directory, `model-${seed}`);
        await writeCheckpoint(folder, smallCheckpoint(SMALL_SHAPE, seed));
        return folder;
      }),
    );
    const [first, other] = folders as [string, string];
    const { model } = await readManifest(first);
    const sources = {
      definitions: unasked,
      async *problemSet() {
        yield member('a', 'nng');
      },
    };
    const prepare = (checkpoint: string, split: 'all' | 'held-out' = 'all') =>
      inActivity<EvaluationPlan>(() =>
        prepareEvaluationActivity({ ...ports, sources, growable: unasked }).prepareEvaluation('test', {
          preset: 'smoke',
          set: {},
          checkpoint,
          modelName: 'm',
          round: null,
          split,
        }),
      );
    const plan = await prepare(first);
    expect(plan.checkpoint.model).toBe(model);
    expect(await prepare(first)).toEqual(plan);
    await expect(prepare(other)).rejects.toMatchObject({
      code: 'STP1002',
      message: expect.stringContaining(`was started with model ${model}, not `),
    });
    await expect(prepare(first, 'held-out')).rejects.toMatchObject({
      code: 'STP1002',
      message: expect.stringContaining('was started with --split all, not held-out'),
    });
  });
});

describe('an evaluation', () => {
  const half = member('half', 'nng held-out');
  const never = member('never', 'nng held-out');
  const other = member('other', 'tip held-out');
  const shards = async (): Promise<ShardResult[]> => [
    await shardOf(half, [
      ...['proved longer', 'rejected', 'proved longer', 'rejected'],
      ...['proved it', 'sorry', 'timeout', 'proved longer'],
    ]),
    await shardOf(never, Array(SAMPLES).fill('rejected')),
    await shardOf(other, Array(SAMPLES).fill('proved x')),
  ];

  it('counts every sample once, repeats too, and picks the shortest proof', async () => {
    const { collected } = await evaluate([half, never, other], await shards());
    expect(collected.evaluation).toMatchObject({
      statements: 3,
      proved: 2,
      unverified: 0,
      samplesPerStatement: SAMPLES,
    });
    expect(collected.evaluation.passAtK.map(({ k }) => k)).toEqual([1, 2, 4, 8]);
    expect(collected.evaluation.passAtK[0]!.mean).toBeCloseTo((4 / 8 + 0 + 1) / 3, 12);
    expect(collected.evaluation.passAtK[3]!.mean).toBeCloseTo(2 / 3, 12);
    const proofs = await readAll(store, collected.proved, provedSchema);
    expect(proofs.map(({ name, proof, passRate, round }) => [name, proof, passRate, round])).toEqual([
      ['half', 'proved it', 0.5, 2],
      ['other', 'proved x', 1, 2],
    ]);
  });

  it('counts samples that ended at a limit of tokens, and those for which the prompt left no room', async () => {
    const cut = [...Array(5).fill('rejected cut'), 'rejected empty', 'rejected', 'proved x'];
    const { write } = await evaluate([half], [await shardOf(half, cut)]);
    await write();
    expect((await report()).cutOff).toEqual({ samples: 6, empty: 1 });
  });

  it('tells what scripts prove from what the samples prove', async () => {
    const texts = Array(SAMPLES).fill('rejected');
    const scripted = [
      await shardOf(half, ['proved longer', ...texts.slice(1)], ['proved s']),
      await shardOf(never, texts, ['rejected too', 'proved by induction', 'proved omega']),
      await shardOf(other, texts),
    ];
    const { collected } = await evaluate([half, never, other], scripted, true);
    expect(collected.evaluation).toMatchObject({ proved: 1, provedByScripts: 1 });
    expect(collected.evaluation.passAtK[0]!.mean).toBeCloseTo(1 / 8 / 3, 12);
    const named = async (list: ArtifactRef) =>
      (await readAll(store, list, provedSchema)).map(({ name, proof, model }) => [name, proof, model]);
    expect(await named(collected.proved)).toEqual([['half', 'proved longer', 'model']]);
  });

  it("writes a record a sample in STP's fields, and its log gives the figures of evaluation.json again", async () => {
    const { write } = await evaluate([half, never, other], await shards());
    const files = await write();
    expect(files.log.count).toBe(3 * SAMPLES);
    const path = join(directory, 'store', EVALUATION_LOG);
    const records = gunzipSync(await readFile(path))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const ofHalf = records.filter((one) => one.lemma_id === 0).sort((a, b) => Number(a.iter) - Number(b.iter));
    expect(ofHalf.map(({ iter, complete, pass }) => [iter, complete, pass])).toEqual([
      [0, true, true],
      [1, false, false],
      [2, true, true],
      [3, false, false],
      [4, true, true],
      [5, false, true],
      [6, false, false],
      [7, true, true],
    ]);
    expect(ofHalf[6]).toMatchObject({ system_errors: 'timeout' });
    expect(ofHalf[1]).toEqual({
      statement: 'theorem half (n : Nat) : n = half := by',
      proof: '\n  rejected',
      header: null,
      label: ['nng held-out', 'tag'],
      lemma_id: 0,
      matching_weight: 1,
      iter: 1,
      multiplicity: 1,
      round: 2,
      complete: false,
      pass: false,
      sorries: [],
      errors: [{ severity: 'error', pos: { line: 1, column: 2 }, data: 'no' }],
      system_messages: '',
      system_errors: null,
      invokes: [],
      verified_code: 'theorem half (n : Nat) : n = half := by\n  rejected',
      verify_time: 0.25,
    });
    const { groups } = await report();
    expect(groups.map(({ group, statements, proved }) => [group, statements, proved])).toEqual([
      ['nng held-out', 2, 1],
      ['tip held-out', 1, 1],
    ]);
    const texts = new Set([half, never].map((one) => statementText(one.statement)!));
    const splits = [{ name: 'nng held-out', texts }];
    const [summary] = await summariseLog({ path, splits, samples: null, shortBlock: 'drop', seed: 1 });
    expect(summary!.block).toEqual(
      groups[0]!.block.map(({ k, mean, deviation }) => [k, 100 * mean, deviation && 100 * deviation]),
    );
    expect(summary!.unbiased.map(([, mean]) => mean)).toEqual(groups[0]!.unbiased.map(({ mean }) => 100 * mean));
  });

  it('gives the same objects when it is done again', async () => {
    const { write } = await evaluate([half, never, other], await shards());
    const first = await write();
    await rm(join(directory, 'store', 'finished.json'));
    await rm(join(directory, 'store', 'evaluation', 'collected.json'));
    const again = await evaluate([half, never, other], await shards());
    expect(await again.write()).toEqual(first);
  });

  it('gives no pass@k for a group with more than one per cent of samples without a verdict', async () => {
    const broken = await shardOf(never, ['infra', ...Array(SAMPLES - 1).fill('rejected')]);
    const { collected, write } = await evaluate(
      [half, never, other],
      [(await shards())[0]!, broken, (await shards())[2]!],
    );
    expect(collected.evaluation.unverified).toBe(1);
    await write();
    const [nng, tip] = (await report()).groups;
    expect(nng).toMatchObject({
      unverified: 1,
      block: [],
      unbiased: [],
      refused: expect.stringContaining('1 of 16 samples'),
    });
    expect(tip).toMatchObject({ refused: null });
    const log = gunzipSync(await readFile(join(directory, 'store', EVALUATION_LOG))).toString();
    expect(log.match(/"system_errors":"test failed"/g)).toHaveLength(1);
  });

  it('says which verdict is missing where a shard is damaged', async () => {
    const shard = await shardOf(half, ['proved it', 'rejected']);
    const verdicts = await writeRecords(store, 'none.jsonl', []);
    await expect(evaluate([half], [{ ...shard, verdicts }])).rejects.toMatchObject({ code: 'STP1402' });
  });
});

it('cuts shards that hold a bounded number of samples and are never too many for one history', () => {
  const limits = (statementsPerShard: number, maxTokens = 512) => ({ statementsPerShard, maxTokens });
  expect(shardSize(10, 4, limits(4))).toBe(4);
  expect(shardSize(859, 3_200, limits(24))).toBe(2);
  expect(shardSize(488, 25_600, limits(24))).toBe(1);
  expect(Math.ceil(89_221 / shardSize(89_221, 32, limits(24)))).toBeLessThanOrEqual(1_000);
  // 32 samples of 244 statements: sixteen shards where answers may be long, not seven.
  expect(Math.ceil(244 / shardSize(244, 32, limits(40, 32_768)))).toBe(16);
  expect(shardSize(244, 32, limits(40, 1_024))).toBe(40);
  expect(shardSize(244, 1_000, limits(40, 32_768))).toBe(1);
});
