/**
 * Tests where a training runs, and what happens to an attempt of all machines when one fails, on a real Temporal server
 * with activities that answer at once. Costs about 8 s.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { enginesConfigSchema } from '@stp/config';
import { ApplicationFailure } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, Worker, type WorkflowBundle } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Meeting } from '../../activities/training/meeting.ts';
import type { trainModel } from '../../workflows/stages/train.ts';
import { localServer } from '../support/temporal.ts';

let server: TestWorkflowEnvironment;
let workflowBundle: WorkflowBundle;
beforeAll(async () => {
  server = await localServer();
  const workflowsPath = join(import.meta.dirname, '../trainers/together-workflow.ts');
  workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
});
afterAll(() => server?.teardown());

const TRAINED = { steps: 3, loss: 1 };
const full = (): ApplicationFailure => ApplicationFailure.retryable('no space left', 'STP1406');

/** Runs a training over two machines; `part` is what a machine does with the attempt's number and its own. */
async function train(
  trainer: object,
  part: (attempt: number, node: number) => Promise<unknown> = async (_, node) => (node === 0 ? TRAINED : null),
) {
  const run = randomUUID().slice(0, 8);
  const queues = ['0', '1'].map((number) => `host/${run}/${number}`);
  const calls: string[] = [];
  let attempt = 0;
  const on = (machine: number) => ({
    async trainModel() {
      calls.push(`trainModel on ${machine}`);
      return TRAINED;
    },
    async meetToTrain(_: object, nodes: number) {
      attempt += 1;
      calls.push(`meetToTrain on ${machine}`);
      return { meeting: { nodes, port: attempt }, trained: null };
    },
    async trainPart(_: object, { nodes, port }: Meeting, node: number) {
      calls.push(`trainPart ${port}: ${node} of ${nodes} on ${machine}`);
      return part(port, node);
    },
    async dropTrainingStates() {
      calls.push(`dropTrainingStates on ${machine}`);
    },
    async prepareLevanter() {
      calls.push(`prepareLevanter on ${machine}`);
      if (machine === 0) throw full();
      return { name: 'sft', trained: null };
    },
    async trainByLevanter() {
      calls.push(`trainByLevanter on ${machine}`);
      return { finalLoss: machine === 0 ? 1 : null, seconds: 1 };
    },
    async finishLevanter() {
      calls.push(`finishLevanter on ${machine}`);
      if (machine === 0) throw full();
      return TRAINED;
    },
  });
  const taskQueue = `train/${run}`;
  const common = { connection: server.nativeConnection };
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue, workflowBundle }),
    ...queues.map((queue, machine) => Worker.create({ ...common, taskQueue: queue, activities: on(machine) })),
  ]);
  const engines = enginesConfigSchema.parse({ trainer });
  let work = () =>
    server.client.workflow.execute<typeof trainModel>('trainModel', {
      workflowId: run,
      taskQueue,
      args: [queues, engines, 'SFT', {} as Parameters<typeof trainModel>[3]],
    });
  for (const worker of workers) {
    const inner = work;
    work = () => worker.runUntil(inner);
  }
  const result: unknown = await work().catch((error: unknown) => error);
  return { result, calls: [...calls.slice(0, 1), ...calls.slice(1).sort()] };
}

describe('a training on two machines', () => {
  it.each([{ kind: 'embedded' }, { kind: 'pytorch' }])(
    'is one of the first where $kind says no more',
    async (engine) => {
      expect(await train(engine)).toEqual({ result: TRAINED, calls: ['trainModel on 0'] });
    },
  );

  it('is of both where it is to be, and begins again when one fails', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { result, calls } = await train({ kind: 'pytorch', nodes: 'all' }, async (attempt, node) => {
      if (node === 0) begin();
      // Not before the other has begun: its part would be given up before that.
      await begun;
      if (attempt === 1 && node === 1) throw ApplicationFailure.retryable('the connection was closed', 'STP1301');
      return node === 0 ? TRAINED : null;
    });
    expect(result).toEqual(TRAINED);
    expect(calls).toEqual([
      'meetToTrain on 0',
      'dropTrainingStates on 0',
      'meetToTrain on 0',
      'trainPart 1: 0 of 2 on 0',
      'trainPart 1: 1 of 2 on 1',
      'trainPart 2: 0 of 2 on 0',
      'trainPart 2: 1 of 2 on 1',
    ]);
  });

  it('by Levanter is prepared and exported by the machine that has space', async () => {
    const { result, calls } = await train({ kind: 'levanter', python: '/opt/levanter/bin/python' });
    expect({ result, calls }).toEqual({
      result: TRAINED,
      calls: [
        'prepareLevanter on 0',
        'finishLevanter on 0',
        'finishLevanter on 1',
        'prepareLevanter on 1',
        'trainByLevanter on 0',
        'trainByLevanter on 1',
      ],
    });
  });

  it('is given up at once where no repetition mends it', async () => {
    const { result, calls } = await train({ kind: 'pytorch', nodes: 'all' }, async (_, node) => {
      if (node === 1) throw ApplicationFailure.nonRetryable('examples.jsonl:2: not JSON', 'STP1501');
      return TRAINED;
    });
    expect((result as { cause: { cause: Error } }).cause.cause.message).toContain('examples.jsonl:2');
    expect(calls.filter((call) => call.startsWith('meet'))).toHaveLength(1);
  });
});
