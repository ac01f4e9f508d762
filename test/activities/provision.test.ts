/** The checks before machines are requested: they find errors before anything costs money. */

import { StpError } from '@stp/base';
import { nodesConfigSchema } from '@stp/config';
import type { ApplicationFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { checkNodesActivity } from '../../activities/control/check-nodes.ts';
import { nodesStateActivity } from '../../activities/control/nodes-state.ts';
import { providers } from '../../infra/cloud/open-provider.ts';
import type { NodeProvider, NodesState } from '../../infra/nodes/provider.ts';
import { runProvider } from '../../workers/run-provider.ts';

const DIGEST = '0123456789abcdef'.repeat(4);
const BUNDLE = `gs://bucket/runs/bundles/worker-${DIGEST.slice(0, 16)}.tar.gz`;

/** Looks into a store that has the one bundle, for a run in `storeUri`. */
async function check(nodes: object, storeUri = 'gs://bucket/runs'): Promise<void> {
  const open = providers({});
  const { checkNodes } = checkNodesActivity({
    provider: (run, config) => runProvider(open, config, { run, storeUri }),
    findObject: async (uri) =>
      uri === BUNDLE ? { uri, generation: '1', crc32c: 'AAAAAA==', bytes: 1, count: 1 } : null,
  });
  const config = nodesConfigSchema.parse({
    ...{ provider: 'tpu', project: 'test-project', zone: 'us-central2-b', accelerator: 'v4-8' },
    ...{ bundle: BUNDLE, bundleSha256: DIGEST, temporalAddress: '10.0.0.2:7233' },
    ...nodes,
  });
  await checkNodes({ run: 'first', nodes: config });
}

describe('machines of a cloud', () => {
  it('may be asked for where the worker that they install is there', async () => {
    await check({});
  });

  it.each([
    ['the bundle is not named', { bundle: null }, 'nodes.bundle is not set'],
    ['its checksum is not named', { bundleSha256: null }, 'nodes.bundleSha256 is not set'],
    ['the checksum is of another one', { bundleSha256: 'f'.repeat(64) }, 'is not the checksum of'],
    ['the bundle is not there', { bundle: 'gs://bucket/runs/bundles/mine.tar.gz' }, 'does not exist'],
    ['Temporal is where no machine reaches it', { temporalAddress: 'localhost:7233' }, 'on localhost'],
  ])('are not where %s', async (_, nodes, message) => {
    await expect(check(nodes)).rejects.toMatchObject({ code: 'STP1602', message: expect.stringContaining(message) });
  });

  it('are not where the store is a folder', async () => {
    await expect(check({}, 'file:///runs')).rejects.toMatchObject({ code: 'STP1602' });
  });
});

it('machines of an inventory are not where its file is not there', async () => {
  const nodes = { provider: 'inventory', file: '/nowhere/machines.yaml', pricePerHour: null } as const;
  const open = providers({});
  const { checkNodes } = checkNodesActivity({
    provider: (run, config) => runProvider(open, config, { run, storeUri: 'file:///runs' }),
    findObject: async () => null,
  });
  await expect(checkNodes({ run: 'first', nodes })).rejects.toThrow(/machines\.yaml/);
});

describe('a look at what is not there yet', () => {
  const MINUTE_MS = 60_000;
  const WAITING: NodesState = { kind: 'waiting', reason: 'WAITING_FOR_RESOURCES' };
  /** The result of the attempt; times are minutes since the activity was scheduled. */
  async function look(state: () => Promise<NodesState>, attempt: number, atMinute: number, untilMinute = 600) {
    const provider = { state } as unknown as NodeProvider;
    const { nodesState } = nodesStateActivity({
      provider: (run) => ({ provider, name: run, label: run }),
    });
    const environment = new MockActivityEnvironment({
      attempt,
      scheduledTimestampMs: 0,
      currentAttemptScheduledTimestampMs: atMinute * MINUTE_MS,
    });
    const nodes = nodesConfigSchema.parse({ provider: 'inventory', file: 'hosts.json' });
    const input = { run: 'first', nodes, generation: 1, untilMs: untilMinute * MINUTE_MS };
    return environment.run(() => nodesState(input)).catch((error: unknown) => error);
  }

  it.each([
    [1, 5_000],
    [4, 40_000],
    [5, 60_000],
    [40_000, 60_000],
  ])('of attempt %i is repeated after %i ms, and nobody is alarmed', async (attempt, pause) => {
    const thrown = (await look(async () => WAITING, attempt, 1)) as ApplicationFailure;
    expect(thrown).toMatchObject({ message: 'WAITING_FOR_RESOURCES', nextRetryDelay: pause, category: 'BENIGN' });
    expect(thrown.nonRetryable).toBe(false);
  });

  it('is the answer when there is no time for another', async () => {
    expect(await look(async () => WAITING, 5, 599.5)).toEqual(WAITING);
  });

  it('is repeated twice where nothing of that name is there', async () => {
    const absent = async (): Promise<NodesState> => ({ kind: 'absent' });
    expect(await look(absent, 2, 1)).toMatchObject({ type: 'STP_WAITING' });
    expect(await look(absent, 3, 1)).toEqual({ kind: 'absent' });
  });

  it('that fails is repeated for a quarter of an hour at least, and until the waiting is over', async () => {
    const away = () => Promise.reject(new StpError('STP1603', 'no answer', 'Try again.', { retryable: true }));
    expect(await look(away, 20, 14, 1)).toMatchObject({ code: 'STP1603', retryable: true });
    expect(await look(away, 20, 16, 1)).toMatchObject({ type: 'STP1603', nonRetryable: true });
    expect(await look(away, 20, 599)).toMatchObject({ code: 'STP1603', retryable: true });
    expect(await look(away, 20, 601)).toMatchObject({ type: 'STP1603', nonRetryable: true });
  });
});
