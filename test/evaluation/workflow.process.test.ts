/** `stp-evaluate`, and evaluations between rounds, on a real Temporal server with activities that answer at once. Costs about 10 s. */
import { randomUUID } from 'node:crypto';
import { resolveConfig } from '@stp/config';
import type { EvaluateInput, Evaluation } from '@stp/config/records';
import { WorkflowFailedError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunState } from '../../activities/run/run-state.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';
import * as contracts from '../../workflows/control/contracts.ts';
import { localServer } from '../support/temporal.ts';
import { type Fakes, fakeActivities, HOST_QUEUE } from '../workflows/fake-activities.ts';

/** Time limit that ends a hanging workflow; a working one takes seconds on an idle machine. */
const TIMEOUT_MS = 240_000;

let server: TestWorkflowEnvironment;
let codePath: string;
beforeAll(async () => {
  [server, codePath] = await Promise.all([localServer(), workflowBundle(workerSettings().cacheDirectory)]);
});
afterAll(() => server?.teardown());

async function run<T>(fakes: Fakes, type: string, workflowId: string, input: unknown): Promise<T> {
  const common = { connection: server.nativeConnection, activities: fakes.activities };
  const taskQueue = contracts.CONTROL_QUEUE;
  const controlWorker = await Worker.create({ ...common, taskQueue, workflowBundle: { codePath } });
  const hostWorker = await Worker.create({ ...common, taskQueue: HOST_QUEUE });
  const execute = () =>
    server.client.workflow.execute(type, { workflowId, taskQueue, args: [input], workflowRunTimeout: TIMEOUT_MS / 2 });
  const leanWorker = await Worker.create({ ...common, taskQueue: contracts.LEAN_QUEUE });
  return leanWorker.runUntil(() => hostWorker.runUntil(() => controlWorker.runUntil(execute))) as Promise<T>;
}

const INPUT: EvaluateInput = {
  preset: 'smoke',
  set: {},
  checkpoint: '/models/one',
  modelName: 'one',
  round: null,
  split: 'all',
};

describe('stp-evaluate', () => {
  it('samples and verifies every shard, writes, and cleans the node', { timeout: TIMEOUT_MS }, async () => {
    const fakes = fakeActivities(3);
    const files = await run(fakes, contracts.EVALUATE_TYPE, contracts.evaluateWorkflowId('one'), INPUT);
    expect(files).toMatchObject({ evaluation: { count: 1 }, log: { count: 1 } });
    const of = (name: string): number => fakes.calls.filter((call) => call.startsWith(name)).length;
    expect([of('sampleShard evaluation/shard-'), of('verifyShard')]).toEqual([3, 3]);
    const others = fakes.calls.filter((call) => !/^(?:sample|verify)Shard/.test(call));
    expect(others).toEqual([
      'provisionNodes',
      'cleanUpNode before',
      'prepareEvaluation one',
      'collectEvaluation evaluation',
      'writeEvaluation 2',
      'cleanUpNode after',
      'releaseNodes',
    ]);
  });
  it('searches in place of sampling, or beside it, as the prover’s mode says', { timeout: TIMEOUT_MS }, async () => {
    const called = async (mode: string): Promise<string[]> => {
      const fakes = fakeActivities(1);
      const { prepareEvaluation } = fakes.activities;
      fakes.activities.prepareEvaluation = async (...words) => ({
        ...(await prepareEvaluation(...words)),
        config: resolveConfig({ preset: 'smoke', set: { 'prover.mode': mode } }),
      });
      await run(fakes, contracts.EVALUATE_TYPE, contracts.evaluateWorkflowId(`by-${mode}`), INPUT);
      return fakes.calls.filter((call) => /^(?:sample|search|script|verify)Shard/u.test(call));
    };
    const name = 'evaluation/shard-0000';
    expect(await called('steps')).toEqual([`searchShard ${name} after 0`, `verifyShard ${name}/search`]);
    // An evaluation is never by both.
    expect(await called('both')).toEqual([`sampleShard ${name}`, `verifyShard ${name}`]);
    expect(await called('scripts')).toEqual([`scriptShard ${name} after 0`, `verifyShard ${name}/scripts`]);
  });
  it('fails with the reason, and cleans the node', { timeout: TIMEOUT_MS }, async () => {
    const fakes = fakeActivities();
    fakes.broken.add('prepareEvaluation');
    const failed = run(fakes, contracts.EVALUATE_TYPE, contracts.evaluateWorkflowId('two'), INPUT);
    await expect(failed).rejects.toThrow(WorkflowFailedError);
    expect(fakes.calls.slice(-2)).toEqual(['cleanUpNode after', 'releaseNodes']);
  });
  it('refuses an id that names no folder', { timeout: TIMEOUT_MS }, async () => {
    const failed = run(fakeActivities(), contracts.EVALUATE_TYPE, 'stp-evaluate/a/../b', INPUT);
    await expect(failed).rejects.toMatchObject({ cause: { message: expect.stringContaining('names no evaluation') } });
  });
});

describe('a run', () => {
  it('evaluates its model after every so many rounds, and first and last at its end', {
    tags: ['slow'],
    timeout: TIMEOUT_MS,
  }, async () => {
    const fakes = fakeActivities();
    const { prepareRun, writeReport } = fakes.activities;
    fakes.activities.prepareRun = async (...words) => {
      const config = await prepareRun(...words);
      return {
        ...config,
        retrain: { ...config.retrain, everyRounds: 0 },
        evaluation: { ...config.evaluation, everyRounds: 2 },
      };
    };
    let reported: { state: RunState; evaluation: Evaluation | null } | null = null;
    fakes.activities.writeReport = async (input) => {
      reported = input;
      return writeReport(input);
    };
    const id = contracts.selfplayWorkflowId(`evaluated-${randomUUID().slice(0, 8)}`);
    await run(fakes, contracts.SELFPLAY_TYPE, id, { rounds: 5 });
    const { state, evaluation } = reported as unknown as { state: RunState; evaluation: Evaluation };
    expect(state.evaluations).toMatchObject([
      { round: 2, model: 'checkpoints-round-2', samplesSoFar: 3 * 40, proved: 2 },
      { round: 4, model: 'checkpoints-round-4', samplesSoFar: 5 * 40 },
    ]);
    expect(evaluation).toMatchObject({
      statements: 4,
      provedFirst: 2,
      provedLast: 2,
    });
    expect(evaluation.passAtK.last).toEqual([{ k: 1, mean: 0.5, lower: 0.25, upper: 0.75 }]);
    expect(fakes.calls.filter((call) => call === 'planEvaluation')).toHaveLength(4);
  });
});
