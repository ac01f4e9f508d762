/**
 * Our Google Cloud Storage against another one: what both can do must look alike to the official client and to our store.
 * The other is `fake-gcs-server` (Go), where STP_FAKE_GCS_SERVER names it or it is on PATH; else its half is skipped.
 *
 * Not asked of both, since the other is known to differ: how far an upload is (it finishes the object at that question), a
 * removal of another generation (it removes), and faults (it has none).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Storage } from '@google-cloud/storage';
import type { ObjectStore } from '@stp/config/records';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../infra/stores/open-store.ts';
import { startFakeGcs } from '../../fakes/gcs.ts';
import { freePort } from '../../support/ports.ts';

const BUCKET = 'bucket';
const LARGE = Buffer.from(Uint32Array.from({ length: 5 << 20 }, (_, index) => Math.imul(index, 2654435761)).buffer);

interface Server {
  readonly endpoint: string;
  close(): Promise<void>;
}

async function startOurs(): Promise<Server> {
  return startFakeGcs([BUCKET]);
}

async function startOther(program: string): Promise<Server> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const serving = ['-scheme', 'http', '-host', '127.0.0.1', '-port', String(port), '-backend', 'memory'];
  const addresses = ['-public-host', `127.0.0.1:${port}`, '-external-url', endpoint];
  const child: ChildProcess = spawn(program, [...serving, ...addresses], { stdio: 'ignore' });
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${endpoint}/storage/v1/b?project=test`).catch(() => null);
    if (answer?.ok) break;
    if (tries > 300 || child.exitCode !== null) throw new Error(`${program} does not answer`);
    await sleep(100);
  }
  await fetch(`${endpoint}/storage/v1/b?project=test`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: BUCKET }),
  });
  return {
    endpoint,
    async close() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    },
  };
}

function findOther(): string | null {
  if (process.env.STP_FAKE_GCS_SERVER) return process.env.STP_FAKE_GCS_SERVER;
  try {
    return execFileSync('which', ['fake-gcs-server'], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return null;
  }
}

function sharedBehaviour(start: () => Promise<Server>): void {
  let server: Server;
  let store: ObjectStore;
  let client: Storage;
  beforeAll(async () => {
    // Notes of uploads are not to lie with those of the user.
    process.env.XDG_CACHE_HOME = await mkdtemp(join(tmpdir(), 'stp-cross-check-'));
    server = await start();
    process.env.STP_GCS_ENDPOINT = server.endpoint;
    store = await openStore(`gs://${BUCKET}/run`);
    delete process.env.STP_GCS_ENDPOINT;
    client = new Storage({ apiEndpoint: server.endpoint, projectId: 'test' });
  });
  afterAll(() => server.close());

  it('stores and gives back, with size, checksum, generation and metadata', async () => {
    const ref = await store.put('a/small', 'α text', { count: 3 });
    expect(ref).toMatchObject({ bytes: 7, count: 3, crc32c: expect.stringMatching(/^[\w+/]{6}==$/) });
    expect(ref.generation).toMatch(/^[1-9]\d*$/);
    expect((await store.get(ref)).toString()).toBe('α text');
    expect(await store.stat('a/small')).toEqual(ref);
    expect(await store.stat('a/none')).toBeNull();
  });

  it('takes large objects over sessions', async () => {
    const ref = await store.put('large', LARGE);
    expect(ref.bytes).toBe(LARGE.length);
    expect((await store.get(ref)).equals(LARGE)).toBe(true);
  });

  it('takes a file in one request of a session', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stp-cross-check-'));
    await writeFile(join(folder, 'weights'), LARGE);
    const ref = await store.putFile('weights', join(folder, 'weights'), { count: 2 });
    await store.download(ref, join(folder, 'copy'));
    expect((await readFile(join(folder, 'copy'))).equals(LARGE)).toBe(true);
    expect(await store.stat('weights')).toEqual(ref);
    await rm(folder, { recursive: true });
  });

  it('refuses what is there already, and a generation that is past', async () => {
    await store.put('once', 'bytes');
    await expect(store.put('once', 'other')).rejects.toMatchObject({ code: 'STP1404' });
    const file = client.bucket(BUCKET).file('run/once');
    for (const ifGenerationMatch of [0, 12_345]) {
      const saving = file.save('other', { resumable: false, preconditionOpts: { ifGenerationMatch } });
      await expect(saving).rejects.toMatchObject({ code: 412 });
    }
  });

  it('refuses bytes of another checksum than was declared', async () => {
    const file = client.bucket(BUCKET).file('run/declared');
    const saving = file.save('bytes', { resumable: false, validation: false, metadata: { crc32c: 'AAAAAA==' } });
    await expect(saving).rejects.toMatchObject({ code: 400 });
    expect((await file.exists())[0]).toBe(false);
  });

  it('lists by prefix in the order of names, a page at a time', async () => {
    const names = ['p/b', 'p/a', 'p/a/1', 'p-x', 'p/c'];
    for (const name of names) await store.put(name, name);
    const found: string[] = [];
    for await (const { name } of store.list('p/')) found.push(name);
    expect(found).toEqual(['p/a', 'p/a/1', 'p/b', 'p/c']);
    const [page, next] = await client.bucket(BUCKET).getFiles({ prefix: 'run/p/', maxResults: 3, autoPaginate: false });
    expect(page.map(({ name }) => name)).toEqual(['run/p/a', 'run/p/a/1', 'run/p/b']);
    const [rest] = await client.bucket(BUCKET).getFiles({ ...next, autoPaginate: false });
    expect(rest.map(({ name }) => name)).toEqual(['run/p/c']);
  });

  it('removes an object once', async () => {
    const ref = await store.put('removed', 'text');
    expect([await store.remove(ref), await store.remove(ref)]).toEqual([true, false]);
    await expect(store.get(ref)).rejects.toMatchObject({ code: 'STP1403' });
  });
}

describe('our own', () => sharedBehaviour(startOurs));

const other = findOther();
if (other === null) {
  console.warn('skipped: fake-gcs-server is not on PATH and STP_FAKE_GCS_SERVER names none');
  describe.skip('fake-gcs-server', () => it('behaves alike', () => {}));
} else describe('fake-gcs-server', () => sharedBehaviour(() => startOther(other)));
