/**
 * Records histories of runs to which things happen, for `replay.process.test.ts`: `node test/workflows/record-scenarios.ts [NAME …]`, on a
 * server of its own with activities that do no work. Retries, a failed round with `retryRound`, a continue-as-new, machines of
 * a cloud that are lost and replaced, a library that grows, an evaluation, the janitor. All take two minutes; writes test/histories/*.json.gz.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ApplicationFailure } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { NodesState } from '../../infra/nodes/provider.ts';
import * as contracts from '../../workflows/control/contracts.ts';
import { localServer } from '../support/temporal.ts';
import { type Fakes, fakeActivities, HOST_QUEUE } from './fake-activities.ts';
import { standingWorkers } from './standing-workers.ts';

const CLOUD_RUN = 'lost-machines';
/** Rounds beyond what one history has (`workflows/selfplay.ts`). */
const ROUNDS_OF_TWO_HISTORIES = 21;
const machine = (generation: number, host: number): string => `host/${CLOUD_RUN}-g${generation}/${host}`;
const ready = (generation: number): NodesState => ({
  kind: 'ready',
  hosts: [0, 1].map((host) => ({
    name: `${CLOUD_RUN}-g${generation}/${host}`,
    taskQueue: machine(generation, host),
    address: null,
  })),
});

const server = await localServer();
const workers = await standingWorkers(server, [
  HOST_QUEUE,
  contracts.LEAN_QUEUE,
  ...[1, 2].flatMap((generation) => [0, 1].map((host) => machine(generation, host))),
]);
const { workflow } = server.client;
const taskQueue = contracts.CONTROL_QUEUE;
const start = (run: string, input: object): Promise<WorkflowHandle> =>
  workflow.start(contracts.SELFPLAY_TYPE, { workflowId: contracts.selfplayWorkflowId(run), taskQueue, args: [input] });

async function record(name: string, workflowId: string, runId?: string): Promise<void> {
  const history = await workflow.getHandle(workflowId, runId).fetchHistory();
  const text = JSON.stringify({ workflowId, history: JSON.parse(historyToJSON(history)) });
  await writeFile(join(import.meta.dirname, '..', 'histories', `${name}.json.gz`), gzipSync(text, { level: 9 }));
  console.log(`${name}: ${history.events?.length} events`);
}

/** The first calls of the activity fail, and could pass. */
function failsTwice(fakes: Fakes, name: 'prepareData' | 'planShards' | 'saveState'): void {
  const activity = fakes.activities[name] as (...input: unknown[]) => Promise<unknown>;
  let failures = 0;
  Object.assign(fakes.activities, {
    [name]: async (...input: unknown[]) => {
      failures += 1;
      if (failures <= 2) throw ApplicationFailure.retryable('the store is away', 'STP1401');
      return activity(...input);
    },
  });
}

async function waitingRun(handle: WorkflowHandle): Promise<void> {
  while ((await handle.query(contracts.progressQuery)).waiting === null)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

const scenarios: Readonly<Record<string, (fakes: Fakes) => Promise<void>>> = {
  async retries(fakes) {
    failsTwice(fakes, 'prepareData');
    failsTwice(fakes, 'planShards');
    failsTwice(fakes, 'saveState');
    const handle = await start('retries', { rounds: 1 });
    await handle.result();
    await record('retries', handle.workflowId);
    await record('retries-round', contracts.roundWorkflowId('retries', 0));
  },
  async retriedRound(fakes) {
    fakes.broken.add('collectRound');
    const handle = await start('retried-round', { rounds: 1 });
    await waitingRun(handle);
    const id = contracts.roundWorkflowId('retried-round', 0);
    await record('failed-round', id);
    await handle.executeUpdate(contracts.pauseUpdate);
    await handle.executeUpdate(contracts.resumeUpdate);
    fakes.broken.clear();
    await handle.executeUpdate(contracts.retryRoundUpdate);
    await handle.result();
    await record('retried-round', handle.workflowId);
  },
  async continued() {
    const first = await start('continued', { rounds: ROUNDS_OF_TWO_HISTORIES, set: { 'evaluation.everyRounds': 0 } });
    const { runId } = await first.describe();
    await workflow.getHandle(first.workflowId).result();
    await record('continued-1', first.workflowId, runId);
    await record('continued-2', first.workflowId);
  },
  async cloud(fakes) {
    fakes.state = ready;
    const { promise: isSampling, resolve: samples } = Promise.withResolvers<void>();
    const { sampleShard } = fakes.activities;
    fakes.activities.sampleShard = async (input) => {
      samples();
      return sampleShard(input);
    };
    const { watch } = fakes;
    fakes.watch = async (input) => {
      if (input.generation > 1) return watch(input);
      await isSampling;
      return { kind: 'lost', reason: 'the queued resource is SUSPENDED' };
    };
    const cloud = { 'nodes.provider': 'tpu', 'nodes.project': 'test-project', 'nodes.zone': 'us-central2-b' };
    const handle = await start(CLOUD_RUN, { rounds: 1, set: { ...cloud, 'nodes.accelerator': 'v4-16' } });
    await handle.result();
    await record('cloud', handle.workflowId);
    await record('cloud-round', contracts.roundWorkflowId(CLOUD_RUN, 1));
  },
  async grown() {
    await (await start('grown', { rounds: 1, set: { library: 'grow' } })).result();
    await record('grown-round', contracts.roundWorkflowId('grown', 1));
    await record('grown', contracts.selfplayWorkflowId('grown'));
  },
  async others() {
    const workflowId = contracts.evaluateWorkflowId('evaluation');
    await workflow.execute(contracts.EVALUATE_TYPE, { workflowId, taskQueue, args: [{ modelName: 'model' }] });
    await record('evaluation', workflowId);
    await workflow.execute(contracts.JANITOR_TYPE, { workflowId: contracts.JANITOR_TYPE, taskQueue });
    await record('janitor', contracts.JANITOR_TYPE);
  },
};

try {
  const named = process.argv.slice(2);
  for (const [name, scenario] of Object.entries(scenarios)) {
    if (named.length > 0 && !named.includes(name)) continue;
    const fakes = fakeActivities(2);
    await workers.with(fakes, () => scenario(fakes));
  }
} finally {
  await workers.stop();
  await server.teardown();
}
