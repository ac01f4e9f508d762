/** Both stores against one contract. About 12 s on two cores, most of it starting racing processes. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../infra/stores/open-store.ts';
import { type FakeGcs, startFakeGcs } from '../../fakes/gcs.ts';
import { storeContract } from './contract.ts';

storeContract('file store', async () => {
  // A space in the path: the URI's escapes must not leak into file names.
  const folder = join(await mkdtemp(join(tmpdir(), 'stp store-')), 'runs');
  const uri = pathToFileURL(folder).href;
  return {
    uri,
    store: await openStore(uri),
    environment: {},
    async spoil(name, change) {
      await writeFile(join(folder, name), change(await readFile(join(folder, name))));
    },
  };
});

describe('over the wire', () => {
  let fake: FakeGcs;
  let folders = 0;
  beforeAll(async () => {
    // Notes of uploads are not to lie with those of the user.
    process.env.XDG_CACHE_HOME = await mkdtemp(join(tmpdir(), 'stp-stores-'));
    fake = await startFakeGcs(['bucket']);
    process.env.STP_GCS_ENDPOINT = fake.endpoint;
  });
  afterAll(async () => {
    delete process.env.STP_GCS_ENDPOINT;
    await fake.close();
  });

  storeContract('Google Cloud Storage', async () => {
    folders += 1;
    const uri = `gs://bucket/runs/place-${folders}`;
    return {
      uri,
      store: await openStore(uri),
      environment: { STP_GCS_ENDPOINT: fake.endpoint },
      async spoil(name, change) {
        const object = fake.object('bucket', `${uri.slice('gs://bucket/'.length)}/${name}`)!;
        object.data = change(Buffer.from(object.data));
      },
    };
  });
});

describe('openStore', () => {
  it.each(['s3://bucket/x', '/tmp/x', 'file://host/x', 'gs://', 'gs://UPPER/x', 'memory:', ''])(
    'refuses %j and names what it takes',
    async (uri) => {
      await expect(openStore(uri)).rejects.toMatchObject({
        code: 'STP1001',
        advice: expect.stringMatching(/file:.*gs:/),
      });
    },
  );

  it('takes a bucket without a prefix and a folder with a slash at its end', async () => {
    expect((await openStore('gs://bucket')).root).toBe('gs://bucket');
    expect((await openStore('gs://bucket/a/b/')).root).toBe('gs://bucket/a/b');
    expect((await openStore('file:///tmp/x/')).root).toBe('file:///tmp/x');
  });
});
