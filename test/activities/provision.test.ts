/** What is found out about machines before they are asked for: nothing that a bill would tell. */
import { describe, expect, it } from 'vitest';
import { provisionActivities } from '../../activities/provision.ts';
import { nodesConfigSchema } from '../../data/schemas/nodes.ts';
import { providers } from '../../infra/nodes/open-provider.ts';
import { runProvider } from '../../workers/run-provider.ts';

const DIGEST = '0123456789abcdef'.repeat(4);
const BUNDLE = `gs://bucket/runs/bundles/worker-${DIGEST.slice(0, 16)}.tar.gz`;

/** Looks into a store that has the one bundle, for a run in `storeUri`. */
async function check(nodes: object, storeUri = 'gs://bucket/runs'): Promise<void> {
  const open = providers({});
  const { checkNodes } = provisionActivities({
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
    ['the bundle is not there', { bundle: 'gs://bucket/runs/bundles/mine.tar.gz' }, 'is not there'],
    ['Temporal is where no machine reaches it', { temporalAddress: 'localhost:7233' }, 'on localhost'],
  ])('are not where %s', async (_, nodes, message) => {
    await expect(check(nodes)).rejects.toMatchObject({ code: 'STP1602', message: expect.stringContaining(message) });
  });

  it('are not where the store is a folder', async () => {
    await expect(check({}, 'file:///runs')).rejects.toMatchObject({ code: 'STP1602' });
  });
});

it('machines of an inventory are not where its file is not there', async () => {
  const nodes = { provider: 'inventory', file: '/nowhere/machines.yaml' } as const;
  const open = providers({});
  const { checkNodes } = provisionActivities({
    provider: (run, config) => runProvider(open, config, { run, storeUri: 'file:///runs' }),
    findObject: async () => null,
  });
  await expect(checkNodes({ run: 'first', nodes })).rejects.toThrow(/machines\.yaml/);
});
