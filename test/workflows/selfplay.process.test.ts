/** The workflows on a real Temporal server, with activities that answer at once. Costs about a minute of one core. */
import { randomUUID } from 'node:crypto';
import type { Evaluation } from '@stp/config/records';
import { ApplicationFailure } from '@temporalio/activity';
import { WorkflowFailedError, type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as contracts from '../../workflows/control/contracts.ts';
import { localServer } from '../support/temporal.ts';
import { type Fakes, fakeActivities, HOST_QUEUE } from './fake-activities.ts';
import { historiesOf, replay } from './replay.ts';
import { type StandingWorkers, standingWorkers } from './standing-workers.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

let server: TestWorkflowEnvironment;
let workers: StandingWorkers;

beforeAll(async () => {
  server = await localServer();
  workers = await standingWorkers(server, [HOST_QUEUE, contracts.LEAN_QUEUE]);
});
afterAll(async () => {
  await workers?.stop();
  await server?.teardown();
});

const start = async (
  input: unknown,
  run = `test-${randomUUID().slice(0, 8)}`,
): Promise<WorkflowHandle & { run: string }> => {
  const handle = await server.client.workflow.start(contracts.SELFPLAY_TYPE, {
    workflowId: contracts.selfplayWorkflowId(run),
    taskQueue: contracts.CONTROL_QUEUE,
    args: [input],
    staticSummary: 'a test',
  });
  return Object.assign(handle, { run });
};

/** Polls until the run's progress satisfies `wanted`. The test's own limit bounds it. */
async function until(
  handle: WorkflowHandle,
  wanted: (progress: contracts.Progress) => boolean,
): Promise<contracts.Progress> {
  for (;;) {
    const progress = await handle.query(contracts.progressQuery);
    if (wanted(progress)) return progress;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const rootMessage = (error: unknown): string => {
  let cause = error as Error;
  while (cause.cause instanceof Error) cause = cause.cause;
  return cause.message;
};

const BESIDE = ['sampleShard', 'verifyShard', 'sampleConjectures', 'measurePortfolio', 'writeProofs'];

/** Splits a list at the separators. */
function splitAt<T>(list: readonly T[], separator: T): T[][] {
  const parts: T[][] = [[]];
  for (const item of list) item === separator ? parts.push([]) : parts.at(-1)!.push(item);
  return parts;
}

/** Expects each name to be called, the last call of one before the first of the next. */
function expectOrder(calls: readonly string[], names: readonly string[]): void {
  expect(calls).toEqual(expect.arrayContaining([...names]));
  for (const [index, name] of names.slice(1).entries())
    expect([calls.lastIndexOf(names[index]!) < calls.indexOf(name), names[index], name]).toEqual([
      true,
      names[index],
      name,
    ]);
}

describe('a run', () => {
  it('goes through its stages, a child for every round, and cleans the node before and after', async () => {
    const fakes = fakeActivities();
    await workers.with(fakes, async () => {
      const handle = await start({ rounds: 2 });
      expect(await handle.result()).toMatchObject({ report: { count: 1 } });
      const stages = fakes.calls
        .map((call) => call.split(' ')[0]!)
        // The portfolio is measured and proofs are written in parallel, at any time.
        .filter((name) => !BESIDE.includes(name));
      expect(fakes.calls.filter((call) => call.startsWith('measurePortfolio'))).toEqual(['measurePortfolio 10']);
      expect(fakes.calls.filter((call) => call.startsWith('writeProofs'))).toEqual(['writeProofs 3']);
      // Work without machines comes before their request, and they are released at the very end.
      expect(stages.slice(0, 4)).toEqual(['prepareRun', 'prepareData', 'provisionNodes', 'cleanUpNode']);
      expect(stages.slice(-3)).toEqual(['writeReport', 'cleanUpNode', 'releaseNodes']);
      // The state is saved after the SFT, the baseline and each round. The last round ends with the last training.
      const [sft, baseline, first, last, after, ...further] = splitAt(stages.slice(4, -3), 'saveState');
      expect(further).toEqual([]);
      expect(sft).toEqual(['trainModel']);
      const proving = ['planShards', 'collectRound', 'finishRound'];
      expect(baseline).toEqual(expect.arrayContaining([...proving, 'trainModel']));
      for (const round of [first!, last!]) {
        const conjecturing = ['planConjectures', 'readConjectures', 'gateConjectures', 'admitConjectures'];
        expectOrder(round, [...conjecturing, ...proving, 'trainModel']);
        // The conjecturer's examples are chosen after the proofs and before the round's training set.
        const matching = ['chooseConjectures', 'embedStatements', 'matchConjectures'];
        expectOrder(round, ['collectRound', ...matching, 'finishRound']);
      }
      expectOrder(baseline!, [...proving, 'trainModel']);
      for (const name of ['planConjectures', 'chooseConjectures', 'retrainSet']) expect(baseline).not.toContain(name);
      expect(first).not.toContain('retrainSet');
      // After the last round's training the model is retrained.
      expectOrder(last!, ['finishRound', 'retrainSet']);
      expect(last!.slice(-2)).toEqual(['retrainSet', 'trainModel']);
      // Two models are evaluated at once.
      const evaluating = ['planEvaluation', 'collectEvaluation'];
      expect(after).toEqual(expect.arrayContaining(evaluating));
      expect(after!.filter((name) => name === 'collectEvaluation')).toHaveLength(2);
      const stageEnds = ['cleanUpNode after_prove'];
      expect(fakes.calls.filter((call) => call.startsWith('cleanUpNode'))).toEqual([
        'cleanUpNode before',
        ...[0, 1, 2].flatMap(() => stageEnds),
        'cleanUpNode after_evaluate',
        'cleanUpNode after',
      ]);
      for (const number of [0, 1, 2]) {
        const child = await server.client.workflow.getHandle(contracts.roundWorkflowId(handle.run, number)).describe();
        expect(child.status.name).toBe('COMPLETED');
      }
      const progress = await handle.query(contracts.progressQuery);
      expect(progress).toMatchObject({
        stage: 'done',
        provedBaseline: 2,
        provedPerRound: [3, 4],
        statements: 10,
        waiting: null,
      });
    });
  });

  it('gates conjectures in parts, in the order of the plan, until every place is taken', async () => {
    const fakes = fakeActivities(1, 20);
    await workers.with(fakes, async () => {
      await (await start({ rounds: 1 })).result();
      const asked = fakes.calls.filter((call) => call.startsWith('gateConjectures')).sort();
      // Two parts give the four conjectures; a third may have begun when the first was done.
      expect([2, 3]).toContain(asked.length);
      expect(asked).toEqual(asked.map((_, index) => `gateConjectures gate-000${index}`));
      expect(fakes.calls).toContain(`admitConjectures ${asked.length} of 20 parts`);
    });
  });

  const trainings = (fakes: Fakes): string[] => fakes.calls.filter((call) => call.startsWith('trainModel'));
  const [sft, zero, one] = ['checkpoints-sft', 'checkpoints-round-0', 'checkpoints-round-1'];

  it.each([
    ['previous', [`round-1 from ${zero}`, `round-2 from ${one}`]],
    ['sft', [`round-1 from ${sft}`, `round-2 from ${sft}`]],
    ['none', []],
  ])('trains rounds from where `training.from: %s` says', { tags: ['slow'] }, async (from, expected) => {
    const fakes = fakeActivities(1);
    await workers.with(fakes, async () => {
      const set = { 'training.from': from, 'retrain.everyRounds': 0 };
      await (await start({ rounds: 2, set })).result();
      const later = trainings(fakes).filter((call) => /round-[12]/.test(call));
      expect(later).toEqual(expected.map((text) => `trainModel checkpoints/${text}`));
    });
  });

  it.each([
    ['base', 'nothing'],
    ['sft', 'checkpoints-sft'],
  ])(
    'retrains from %s every so many rounds, and replays nothing from before',
    { tags: ['slow'] },
    async (from, model) => {
      const fakes = fakeActivities(1);
      await workers.with(fakes, async () => {
        await (await start({ rounds: 3, set: { 'retrain.everyRounds': 2, 'retrain.from': from } })).result();
        expect(trainings(fakes).filter((call) => call.includes('/retrain-'))).toEqual([
          `trainModel checkpoints/retrain-2 from ${model}`,
          `trainModel checkpoints/retrain-3 from ${model}`,
        ]);
        expect(trainings(fakes)).toContain('trainModel checkpoints/round-3 from checkpoints-retrain-2');
        expect(fakes.calls.filter((call) => call.startsWith('planConjectures'))).toEqual([
          'planConjectures 1 replaying from 0',
          'planConjectures 2 replaying from 0',
          'planConjectures 3 replaying from 3',
        ]);
      });
    },
  );

  it('starts from the SFT model of another run', { tags: ['slow'] }, async () => {
    const fakes = fakeActivities(1);
    await workers.with(fakes, async () => {
      await (await start({ rounds: 1, initFrom: 'other', fromRound: -1 })).result();
      expect(fakes.calls).toContain('takeOver -1');
      expect(trainings(fakes).filter((call) => call.includes('checkpoints/sft'))).toEqual([]);
      expect(trainings(fakes)[0]).toBe('trainModel checkpoints/round-0 from taken-sft');
    });
  });

  it('grows the library before it conjectures, by the round’s conjectures, and before its last model is evaluated', async () => {
    const fakes = fakeActivities(1);
    const given: [string, string | undefined][] = [];
    const between: contracts.Progress[] = [];
    const { sampleShard, chooseConjectures, finishRound, growLibrary } = fakes.activities;
    fakes.activities.growLibrary = async (input) => {
      const library = (await growLibrary(input))!;
      if (input.own === undefined) return library;
      const round = server.client.workflow.getHandle(contracts.roundWorkflowId(input.run, input.round));
      between.push(await round.query(contracts.progressQuery));
      return { ...library, uri: `${library.uri} with conjectures` };
    };
    fakes.activities.sampleShard = async (input) => {
      given.push([input.name.replace(/-[0-9a-z-]+\//u, '/'), input.library?.uri]);
      return sampleShard(input);
    };
    const joined: string[] = [];
    fakes.activities.chooseConjectures = async (input) => {
      joined.push(input.rates.uri, input.proved.uri);
      return chooseConjectures(input);
    };
    fakes.activities.finishRound = async (input) => {
      given.push([`round ${input.round}, ${input.shards.length} shards`, input.library?.uri]);
      if (input.round > 0) joined.push(input.rates.uri, input.proved.uri);
      return finishRound(input);
    };
    await workers.with(fakes, async () => {
      const handle = await start({ rounds: 1, set: { library: 'grow' } });
      await handle.result();
      const told = ['growLibrary', 'planConjectures', 'planShards', 'collectRound', 'joinPasses', 'finishRound'];
      const calls = fakes.calls.filter((call) => told.some((name) => call.startsWith(name)));
      expect(calls.slice(calls.indexOf('growLibrary 1'))).toEqual([
        'growLibrary 1',
        'planConjectures 1 replaying from 0',
        'planShards 1 conjectures',
        'planShards 1',
        'collectRound 1',
        'growLibrary 1 by its own conjectures',
        'collectRound 1',
        'joinPasses 2',
        'finishRound 1',
        'growLibrary 1',
      ]);
      expect(given.filter(([name]) => name.startsWith('round'))).toEqual([
        ['rounds/0/shard-0000', undefined],
        ['round 0, 1 shards', undefined],
        ['rounds/1/conjectures/shard-0000', 'file:///test/library'],
        ['rounds/1/statements/shard-0000', 'file:///test/library with conjectures'],
        ['round 1, 2 shards', 'file:///test/library with conjectures'],
      ]);
      // Figures of the statements' shards do not include those of the conjectures' shards.
      expect(between).toMatchObject([{ stage: 'prove', shardsDone: 0, shardsTotal: 1, samples: 0 }]);
      const ofBoth = ['file:///test/joined-rates', 'file:///test/joined'];
      expect(joined).toEqual([...ofBoth, ...ofBoth]);
    });
  });
  it('searches for what samples did not prove, where the prover works by both, and never on held-out statements', async () => {
    const fakes = fakeActivities(1);
    await workers.with(fakes, async () => {
      const handle = await start({ rounds: 1, set: { 'prover.mode': 'both' } });
      await handle.result();
      const searched = fakes.calls.filter((call) => call.startsWith('searchShard'));
      expect(searched.map((call) => call.replace(/-[0-9a-z-]+\/shard/u, '/shard'))).toEqual([
        'searchShard rounds/0/shard-0000 after 20',
        'searchShard rounds/1/shard-0000 after 20',
      ]);
    });
  });
  it('writes its proofs beside the last retraining, and goes on to the report where that fails', async () => {
    const fakes = fakeActivities(1);
    fakes.activities.writeProofs = async () => {
      throw ApplicationFailure.nonRetryable('Lean has no memory for this file');
    };
    await workers.with(fakes, async () => {
      await (await start({ rounds: 2, set: { 'retrain.everyRounds': 1 } })).result();
      expect(fakes.calls.filter((call) => call.startsWith('retrainSet'))).toHaveLength(2);
      expect(fakes.calls).toContain('writeReport 3');
    });
  });
  it('evaluates the last model while proofs of the first are checked and proofs.lean is written, and ends Lean after all of it', async () => {
    const fakes = fakeActivities(1);
    const { sampleShard, verifyShard, writeProofs } = fakes.activities;
    const isEvaluated = ({ name }: { name: string }): boolean => name.startsWith('evaluation/');
    const lastSamples = Promise.withResolvers<void>();
    let models = 0;
    Object.assign(fakes.activities, {
      sampleShard: async (input: Parameters<typeof sampleShard>[0]) => {
        if (isEvaluated(input)) models += 1;
        if (models === 2) lastSamples.resolve();
        return sampleShard(input);
      },
      verifyShard: async (input: Parameters<typeof verifyShard>[0]) => {
        if (isEvaluated(input)) await lastSamples.promise;
        return verifyShard(input);
      },
      writeProofs: async (input: Parameters<typeof writeProofs>[0]) => {
        await lastSamples.promise;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        return writeProofs(input);
      },
    });
    await workers.with(fakes, async () => {
      await (await start({ rounds: 1 })).result();
      expect(models).toBe(2);
      const written = fakes.calls.findIndex((call) => call.startsWith('writeProofs'));
      const ends = fakes.calls.flatMap((call, index) => (call.startsWith('cleanUpNode after_') ? [index] : []));
      expect(ends).toHaveLength(3);
      expect(ends[1]).toBeLessThan(written);
      expect(ends[2]).toBeGreaterThan(written);
    });
  });
  it('evaluates the first model twice where the library grew: without lemmas, and with those of the last model', async () => {
    const fakes = fakeActivities(1);
    const { sampleShard, collectEvaluation, writeReport } = fakes.activities;
    const sampled: [model: string, library: string | undefined][] = [];
    let reported: Evaluation | null = null;
    Object.assign(fakes.activities, {
      sampleShard: async (input: Parameters<typeof sampleShard>[0]) => {
        if (input.name.startsWith('evaluation/')) sampled.push([input.checkpoint.model, input.library?.uri]);
        return sampleShard(input);
      },
      collectEvaluation: async (input: Parameters<typeof collectEvaluation>[0]) => {
        const collected = await collectEvaluation(input);
        const proved = input.model.includes('sft') ? 1 + input.round : 4;
        return { ...collected, evaluation: { ...collected.evaluation, proved } };
      },
      writeReport: async (input: Parameters<typeof writeReport>[0]) => {
        reported = input.evaluation;
        return writeReport(input);
      },
    });
    await workers.with(fakes, async () => {
      await (await start({ rounds: 1, set: { library: 'grow' } })).result();
      const [first, last] = ['checkpoints-sft', expect.stringMatching(/round-1|retrain/)];
      expect(sampled).toEqual([
        [first, undefined],
        [last, 'file:///test/library'],
        [first, 'file:///test/library'],
      ]);
      expect(reported).toMatchObject({ provedFirst: 1, provedLast: 4, provedFirstWithLemmas: 2 });
    });
  });
  it('tries scripts last where the configuration asks for them, and counts apart what they prove of held-out statements', async () => {
    const fakes = fakeActivities(1);
    let reported: Evaluation | null = null;
    const { writeReport } = fakes.activities;
    fakes.activities.writeReport = (input) => {
      reported = input.evaluation;
      return writeReport(input);
    };
    const bounds = new Map<boolean, Set<number | null>>();
    const { verifyShard } = fakes.activities;
    fakes.activities.verifyShard = (input) => {
      const isOfScripts = input.name.endsWith('/scripts');
      bounds.set(isOfScripts, (bounds.get(isOfScripts) ?? new Set()).add(input.config.verification.heartbeatsMax));
      return verifyShard(input);
    };
    await workers.with(fakes, async () => {
      const handle = await start({ rounds: 1, set: { 'prover.mode': 'both', 'prover.scripts': 'unproved' } });
      await handle.result();
      expect(Object.fromEntries(bounds)).toEqual({ false: new Set([2_000]), true: new Set([null]) });
      const plain = (kind: string): string[] =>
        fakes.calls
          .filter((call) => call.startsWith(kind))
          .map((call) => call.replace(/-[0-9a-z-]+\/shard/u, '/shard'));
      expect(plain('scriptShard')).toEqual([
        'scriptShard rounds/0/shard-0000 after 25',
        'scriptShard rounds/1/shard-0000 after 25',
        ...['first', 'last'].map(() => 'scriptShard evaluation/checkpoi/shard-0000 after 20'),
      ]);
      expect(reported).toMatchObject({
        provedFirst: 2,
        provedLast: 2,
        withScripts: { first: 2 + 1, last: 2 + 1 },
      });
      expect(plain('verifyShard rounds').map((call) => call.split('/').slice(2).join('/'))).toEqual([
        ...['shard-0000', 'shard-0000/search', 'shard-0000', 'shard-0000/search', 'shard-0000/scripts'],
      ]);
    });
  });
  it('tries scripts on held-out statements again over the run’s lemmas, also with a model that never trained', async () => {
    const fakes = fakeActivities(1);
    let reported: Evaluation | null = null;
    const { writeReport, scriptShard } = fakes.activities;
    fakes.activities.writeReport = (input) => {
      reported = input.evaluation;
      return writeReport(input);
    };
    const libraries: boolean[] = [];
    fakes.activities.scriptShard = (input) => {
      if (input.name.startsWith('evaluation/')) libraries.push(input.library !== null);
      return scriptShard(input);
    };
    await workers.with(fakes, async () => {
      const set = { library: 'grow', 'prover.scripts': 'unproved', 'training.from': 'none', 'retrain.everyRounds': 0 };
      await (await start({ rounds: 1, set })).result();
    });
    expect(libraries).toEqual([false, true]);
    expect(reported).toMatchObject({ withScripts: { first: 2 + 1, last: 2 + 1 } });
  });

  it('ranks actions from the rounds before, for each round and for the last model, and gives the ranking to the scripts', async () => {
    const fakes = fakeActivities(1);
    const rankings = new Map<string, boolean>();
    const { scriptShard } = fakes.activities;
    fakes.activities.scriptShard = (input) => {
      rankings.set(
        input.name.replace(/-[0-9a-z-]+\/shard.*/u, '').replace(/\/shard.*/u, ''),
        (input.ranking ?? null) !== null,
      );
      return scriptShard(input);
    };
    await workers.with(fakes, async () => {
      const set = { 'prover.mode': 'whole', 'prover.scripts': 'unproved', 'prover.actions': 'learned' };
      await (await start({ rounds: 2, set })).result();
      expect(fakes.calls.filter((call) => call.startsWith('rankActions'))).toEqual([
        'rankActions rounds/0 after 0',
        'rankActions rounds/1 after 1',
        'rankActions rounds/2 after 2',
        'rankActions evaluation/library after 3',
      ]);
      expect(Object.fromEntries(rankings)).toMatchObject({ 'rounds/0': false, 'rounds/1': true, 'rounds/2': true });
    });
  });
  it('revises failed samples turn by turn, until there is nothing left to revise', async () => {
    const fakes = fakeActivities(1);
    await workers.with(fakes, async () => {
      const set = {
        'prover.mode': 'revise',
        'prover.slots': false,
        'prover.format': 'goedel-prover-v2',
        'prover.revision.turns': 5,
        'evaluation.samplesPerStatement': 0,
      };
      const handle = await start({ rounds: 1, set });
      await handle.result();
      const revised = fakes.calls.filter((call) => call.startsWith('reviseShard rounds/1'));
      expect(revised.map((call) => call.replace(/-[0-9a-z-]+\/shard/u, '/shard'))).toEqual([
        'reviseShard rounds/1/shard-0000 turn 1 after 20',
        'reviseShard rounds/1/shard-0000 turn 2 after 24',
        'reviseShard rounds/1/shard-0000 turn 3 after 28',
      ]);
      expect(fakes.calls.filter((call) => call.startsWith('verifyShard rounds/1'))).toHaveLength(3);
    });
  });
  it('tells its story in the UI: summaries, details and search attributes', async () => {
    const fakes = fakeActivities();
    const { promise, resolve } = Promise.withResolvers<void>();
    fakes.gate = promise;
    await workers.with(fakes, async () => {
      const handle = await start({ rounds: 1 });
      await until(
        handle,
        (progress) => progress.stage === 'round' && fakes.calls.some((call) => call.startsWith('sampleShard')),
      );
      const child = server.client.workflow.getHandle(contracts.roundWorkflowId(handle.run, 0));
      expect(await (await child.describe()).staticSummary()).toBe('baseline: what the SFT model proves');
      resolve();
      await handle.result();
      const { typedSearchAttributes } = await handle.describe();
      const attributes = Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
      expect(attributes).toMatchObject({ StpRun: handle.run, StpRound: 1, StpStage: 'done', StpPassRate: 0.3 });
      const { events } = await handle.fetchHistory();
      const summaries = (events ?? []).flatMap((event) =>
        event.userMetadata?.summary?.data ? [Buffer.from(event.userMetadata.summary.data).toString()] : [],
      );
      expect(summaries.join()).toContain('SFT on 5 examples');
    });
  });

  it.each([
    [{}, 'rounds must be a whole number from 1 to 1000'],
    [{ rounds: 0 }, 'at least 1'],
    [{ rounds: -3 }, 'at least 1'],
    [{ rounds: 'two' }, 'must be a whole number'],
    [{ rounds: 1001 }, 'at most 1000'],
    [{ rounds: 1, roundz: 2 }, 'roundz'],
  ])('is refused by the workflow itself for %j', async (input, expected) => {
    const fakes = fakeActivities();
    await workers.with(fakes, async () => {
      const error = await (await start(input)).result().catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(WorkflowFailedError);
      expect(rootMessage(error)).toContain(expected);
      expect(fakes.calls).toEqual([]);
    });
  });
});

describe('a round that fails', () => {
  const failingRun = async (fakes: Fakes) => {
    fakes.broken.add('collectRound');
    const handle = await start({ rounds: 1 });
    const progress = await until(handle, (now) => now.waiting !== null);
    expect(progress.waiting).toContain('collectRound is broken');
    const details = await server.client.workflowService.queryWorkflow({
      namespace: server.client.options.namespace,
      execution: { workflowId: handle.workflowId },
      query: { queryType: '__temporal_workflow_metadata' },
    });
    expect(Buffer.from(details.queryResult!.payloads![0]!.data!).toString()).toContain('retryRound');
    return handle;
  };

  it('is tried again on retryRound', async () => {
    const fakes = fakeActivities();
    await workers.with(fakes, async () => {
      const handle = await failingRun(fakes);
      fakes.broken.clear();
      expect(await handle.executeUpdate(contracts.retryRoundUpdate)).toContain('again');
      await handle.result();
      expect(fakes.calls.filter((call) => call === 'planShards 0')).toHaveLength(2);
      expect(fakes.calls).toContain('writeReport 2');
    });
  });

  it('is left out on skipRound', { tags: ['slow'] }, async () => {
    const fakes = fakeActivities();
    await workers.with(fakes, async () => {
      const handle = await failingRun(fakes);
      fakes.broken.clear();
      await handle.executeUpdate(contracts.skipRoundUpdate);
      await handle.result();
      expect(fakes.calls.filter((call) => call === 'planShards 0')).toHaveLength(1);
      expect(fakes.calls).toContain('writeReport 1');
    });
  });

  it.each(['retrainSet', 'planEvaluation'])(
    'so does a failing %s: it waits, and goes on when told to',
    { tags: ['slow'] },
    async (name) => {
      const fakes = fakeActivities(1);
      fakes.broken.add(name);
      await workers.with(fakes, async () => {
        const handle = await start({ rounds: 1 });
        await until(handle, (progress) => progress.waiting !== null);
        fakes.broken.clear();
        await handle.executeUpdate(contracts.retryRoundUpdate);
        await handle.result();
        expect(fakes.calls.filter((call) => call.startsWith(name)).length).toBeGreaterThan(1);
        expect(fakes.calls).toContain('writeReport 2');
      });
    },
  );

  it('ends the run on abort, and the node is still cleaned and given back', async () => {
    const fakes = fakeActivities();
    await workers.with(fakes, async () => {
      const handle = await failingRun(fakes);
      await handle.executeUpdate(contracts.abortUpdate);
      const error = await handle.result().catch((failure: unknown) => failure);
      expect(rootMessage(error)).toContain('aborted');
      expect(fakes.calls.slice(-2)).toEqual(['cleanUpNode after', 'releaseNodes']);
    });
  });
});

describe('steering', () => {
  it('refuses decisions when no round waits, and what is so already', { tags: ['slow'] }, async () => {
    const fakes = fakeActivities();
    const { promise, resolve } = Promise.withResolvers<void>();
    fakes.gate = promise;
    await workers.with(fakes, async () => {
      const handle = await start({ rounds: 1 });
      await until(handle, (progress) => progress.child !== null);
      for (const update of [
        contracts.retryRoundUpdate,
        contracts.skipRoundUpdate,
        contracts.abortUpdate,
        contracts.resumeUpdate,
      ])
        await expect(handle.executeUpdate(update)).rejects.toBeInstanceOf(WorkflowUpdateFailedError);
      resolve();
      await handle.result();
    });
  });

  it('pauses between shards and goes on', async () => {
    const fakes = fakeActivities(6);
    const { promise, resolve } = Promise.withResolvers<void>();
    fakes.gate = promise;
    await workers.with(fakes, async () => {
      const handle = await start({ rounds: 1 });
      await until(handle, () => fakes.calls.some((call) => call.startsWith('sampleShard')));
      await handle.executeUpdate(contracts.pauseUpdate);
      resolve();
      fakes.gate = null;
      const child = server.client.workflow.getHandle(contracts.roundWorkflowId(handle.run, 0));
      // Shards in progress finish, and no new ones begin.
      await until(child, (progress) => progress.shardsDone === 3);
      expect(fakes.calls.filter((call) => call.startsWith('sampleShard'))).toHaveLength(3);
      await handle.executeUpdate(contracts.resumeUpdate);
      await handle.result();
      expect(fakes.calls.filter((call) => call.startsWith('sampleShard rounds/0'))).toHaveLength(6);
    });
  });

  it('stops after the round that runs, with evaluation and report', async () => {
    const fakes = fakeActivities();
    const { promise, resolve } = Promise.withResolvers<void>();
    fakes.gate = promise;
    await workers.with(fakes, async () => {
      const handle = await start({ rounds: 5 });
      await until(handle, (progress) => progress.round === 1 || progress.child !== null);
      await handle.executeUpdate(contracts.stopAfterRoundUpdate);
      resolve();
      await handle.result();
      const rounds = fakes.calls.filter((call) => call.startsWith('finishRound')).length;
      expect(rounds).toBeLessThanOrEqual(2);
      expect(fakes.calls).toContain(`writeReport ${rounds}`);
    });
  });
});

describe('a history', () => {
  it('replays, whatever happened to its run, unless an activity has another name', async () => {
    const fakes = fakeActivities();
    const { planShards } = fakes.activities;
    let failures = 0;
    fakes.activities.planShards = async (input) => {
      failures += 1;
      if (failures <= 2) throw ApplicationFailure.retryable('the store is away', 'STP1401');
      return planShards(input);
    };
    const run = await workers.with(fakes, async () => {
      const handle = await start({ rounds: 1 });
      await handle.result();
      return handle.workflowId;
    });
    // Includes the histories of the tests above: rounds that failed, were retried or skipped, pauses, growth.
    const histories = await historiesOf(server.client);
    const replayed = await replay(histories);
    expect(replayed.filter(({ error }) => error !== null)).toEqual([]);
    expect(replayed.map(({ workflowId }) => workflowId)).toContain(run);

    const { history } = histories.find(({ workflowId }) => workflowId === run)!;
    const altered = JSON.parse(historyToJSON(history).replaceAll('"prepareData"', '"readData"')) as unknown;
    expect(await replay([{ workflowId: run, history: altered }])).toEqual([
      { workflowId: run, error: expect.stringContaining('readData') },
    ]);
  });
});
