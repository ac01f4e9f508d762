/** Tests faults that only a network can have: faults injected into the fake service at every step. About 15 s. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ObjectStore, PutFileOptions, UploadToken } from '@stp/config/records';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../../infra/stores/open-store.ts';
import { type FakeGcs, type Fault, startFakeGcs } from '../../fakes/gcs.ts';

const MEBIBYTE = 1 << 20;
const LARGE = Buffer.from(
  Uint32Array.from({ length: 5 * MEBIBYTE }, (_, index) => Math.imul(index, 2654435761)).buffer,
);
const UPLOAD = /^PUT .*upload_id/;
const OPEN_SESSION = /^POST .*uploadType=resumable/;
/** Bytes that the service receives of an interrupted file. */
const PART_BYTES = 9 * MEBIBYTE;
const SMALL_UPLOAD = /^POST .*uploadType=multipart/;
const MEDIA = /^GET .*alt=media/;

let fake: FakeGcs;
let store: ObjectStore;
let notes: string;
beforeAll(async () => {
  const cache = await mkdtemp(join(tmpdir(), 'stp-gcs-'));
  process.env.XDG_CACHE_HOME = cache;
  notes = join(cache, 'stp', 'uploads');
  fake = await startFakeGcs(['bucket']);
  process.env.STP_GCS_ENDPOINT = fake.endpoint;
  store = await openStore('gs://bucket/run');
});
afterAll(async () => {
  delete process.env.STP_GCS_ENDPOINT;
  await fake.close();
});

const writeFaults: readonly [string, RegExp, Fault][] = [
  ['a drop in the middle of a chunk', UPLOAD, { kind: 'drop-upload', afterBytes: 3 * MEBIBYTE + 17 }],
  ['a drop at the start of a chunk', UPLOAD, { kind: 'drop-upload', afterBytes: 0 }],
  ['a lost answer to a chunk', UPLOAD, { kind: 'drop-answer' }],
  ['a 503 to a chunk', UPLOAD, { kind: 'status', status: 503 }],
  ['a 429 at the opening', OPEN_SESSION, { kind: 'status', status: 429 }],
];

it.each(writeFaults)('heals %s of a large upload', async (what, request, fault) => {
  const name = `large/${what.replaceAll(' ', '-')}`;
  fake.inject(request, fault);
  const before = fake.requests.length;
  const ref = await store.put(name, Readable.from([LARGE]), { count: 4 });
  expect(fake.pendingFaults()).toBe(0);
  expect(ref).toMatchObject({ bytes: LARGE.length, count: 4 });
  expect(fake.object('bucket', `run/${name}`)?.data.equals(LARGE)).toBe(true);
  // One session: no upload started over.
  const sessions = fake.requests.slice(before).filter((line) => UPLOAD.test(line));
  expect(new Set(sessions).size).toBe(1);
});

it.each<[string, RegExp, Fault]>([
  ['a drop on the way', UPLOAD, { kind: 'drop-upload', afterBytes: 13 * MEBIBYTE + 17 }],
  ['a drop before the first byte', UPLOAD, { kind: 'drop-upload', afterBytes: 0 }],
  ['a lost answer', UPLOAD, { kind: 'drop-answer' }],
  ['a 503 before the end', UPLOAD, { kind: 'status', status: 503 }],
])('heals %s of a file, and sends no byte twice that was received', async (what, request, fault) => {
  const path = join(await mkdtemp(join(tmpdir(), 'stp-file-')), 'weights');
  await writeFile(path, LARGE);
  const name = `file/${what.replaceAll(' ', '-')}`;
  fake.inject(request, fault);
  const [before, bytes] = [fake.requests.length, fake.bytesReceived()];
  const ref = await store.putFile(name, path);
  expect(fake.pendingFaults()).toBe(0);
  expect(ref.bytes).toBe(LARGE.length);
  expect(fake.object('bucket', `run/${name}`)?.data.equals(LARGE)).toBe(true);
  expect(fake.requests.slice(before).filter((line) => OPEN_SESSION.test(line))).toHaveLength(1);
  // A session keeps whole units of 256 KiB.
  expect(fake.bytesReceived() - bytes).toBeLessThan(LARGE.length + 256 * 1024);
});

it('heals the lost answer to the last chunk, when the object is there already', async () => {
  const name = 'large/last';
  // Three chunks; the third answer is lost.
  const before = fake.requests.length;
  const third = { test: () => fake.requests.slice(before).filter((line) => UPLOAD.test(line)).length === 3 };
  fake.inject(third, { kind: 'drop-answer' });
  await store.put(name, LARGE);
  expect(fake.pendingFaults()).toBe(0);
  expect(fake.object('bucket', `run/${name}`)?.data.equals(LARGE)).toBe(true);
});

it.each<[string, Fault]>([
  ['lost', { kind: 'drop-answer' }],
  ['refused', { kind: 'status', status: 503 }],
])('heals a small upload whose answer is %s', async (what, fault) => {
  fake.inject(SMALL_UPLOAD, fault);
  const ref = await store.put(`small/${what}`, 'text');
  expect(fake.pendingFaults()).toBe(0);
  expect((await store.get(ref)).toString()).toBe('text');
});

it('goes on reading where a dropped connection left off', async () => {
  const ref = await store.put('read', LARGE);
  fake.inject(MEDIA, { kind: 'drop-download', afterBytes: 5 * MEBIBYTE });
  fake.inject(MEDIA, { kind: 'status', status: 503 });
  fake.inject(MEDIA, { kind: 'drop-download', afterBytes: 2 * MEBIBYTE });
  expect((await store.get(ref)).equals(LARGE)).toBe(true);
  expect(fake.pendingFaults()).toBe(0);
});

it('has the service refuse bytes that were changed on their way, and stores nothing', async () => {
  // A proxy corrupts the bytes before the fake receives them.
  const server = fake.endpoint;
  const { createServer, request } = await import('node:http');
  const proxy = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const body = Buffer.concat(parts);
      const text = body.indexOf('precious');
      if (text !== -1) body[text] = 'P'.charCodeAt(0);
      const onward = request(
        server + incoming.url,
        { method: incoming.method, headers: incoming.headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        },
      );
      onward.end(body);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  process.env.STP_GCS_ENDPOINT = `http://127.0.0.1:${(proxy.address() as { port: number }).port}`;
  const through = await openStore('gs://bucket/run');
  process.env.STP_GCS_ENDPOINT = server;
  await expect(through.put('changed', 'a precious text')).rejects.toMatchObject({
    code: 'STP1401',
    message: expect.stringContaining('CRC32C'),
  });
  expect(await store.stat('changed')).toBeNull();
  proxy.close();
  proxy.closeAllConnections();
});

it('says which bucket is not there', async () => {
  const nowhere = await openStore('gs://nowhere');
  await expect(nowhere.put('x', 'x')).rejects.toMatchObject({
    code: 'STP1401',
    advice: expect.stringContaining('bucket'),
  });
  await expect(nowhere.list('')[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'STP1403' });
  fake.inject(/^GET/, { kind: 'status', status: 403 });
  await expect(store.stat('x')).rejects.toMatchObject({
    code: 'STP1405',
    advice: expect.stringContaining('objectUser'),
  });
});

it('lists more objects than a page holds', async () => {
  const pages = await openStore('gs://bucket/pages');
  const names = Array.from({ length: 1100 }, (_, index) => `o/${String(index).padStart(4, '0')}`);
  for (const name of names) fake.seed('bucket', `pages/${name}`, name);
  const found: string[] = [];
  for await (const { name } of pages.list('o/')) found.push(name);
  expect(found).toEqual(names);
});

it('goes on with a file where a killed process was', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stp-resume-'));
  const path = join(folder, 'weights');
  await writeFile(path, LARGE);
  const module = new URL('../../../infra/stores/open-store.ts', import.meta.url).href;
  const script = `
    import { openStore } from ${JSON.stringify(module)};
    const store = await openStore('gs://bucket/run');
    await store.putFile('weights', ${JSON.stringify(path)}, { onProgress: (bytes) => process.stdout.write(bytes + '\\n') });`;
  const before = fake.requests.length;
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
  fake.inject(UPLOAD, { kind: 'stall-upload', afterBytes: PART_BYTES, until });
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) if (Number(line) >= PART_BYTES) break;
  child.kill('SIGKILL');
  await once(child, 'close');
  goOn();
  await expect.poll(() => fake.underWay()).toBe(0);
  expect(fake.object('bucket', 'run/weights')).toBeUndefined();
  const [note] = await readdir(notes);
  expect((await stat(join(notes, note!))).mode & 0o777).toBe(0o600);

  let first: number | null = null;
  const ref = await store.putFile('weights', path, {
    count: 2,
    onProgress: (bytes) => {
      first ??= bytes;
    },
  });
  expect(ref.bytes).toBe(LARGE.length);
  expect(fake.object('bucket', 'run/weights')?.data.equals(LARGE)).toBe(true);
  // Bytes that the service had were not sent again.
  expect(first).toBeGreaterThan(PART_BYTES);
  expect(fake.requests.slice(before).filter((line) => OPEN_SESSION.test(line)).length).toBe(1);
  expect(await readdir(notes)).toEqual([]);
});

/** Starts an upload and interrupts it when the service has 9 MiB. */
async function putInPart(name: string, path: string, options: PutFileOptions = {}): Promise<void> {
  const controller = new AbortController();
  const onProgress = (bytes: number): void => {
    if (bytes >= PART_BYTES) controller.abort(new Error('stop'));
  };
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
  fake.inject(UPLOAD, { kind: 'stall-upload', afterBytes: PART_BYTES, until });
  const putting = store.putFile(name, path, { ...options, signal: controller.signal, onProgress });
  await expect(putting).rejects.toThrow('stop');
  goOn();
  await expect.poll(() => fake.underWay()).toBe(0);
}

it('goes on elsewhere with an upload whose token was passed on, and sends nothing twice that was received', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'stp-resume-')), 'weights');
  await writeFile(path, LARGE);
  const tokens: UploadToken[] = [];
  await putInPart('elsewhere', path, { onUpload: (token) => tokens.push(token) });
  // Another machine has no notes of this one.
  for (const note of await readdir(notes)) await rm(join(notes, note));
  const before = fake.bytesReceived();
  await store.putFile('elsewhere', path, { upload: tokens[0], onUpload: (token) => tokens.push(token) });
  expect(fake.object('bucket', 'run/elsewhere')?.data.equals(LARGE)).toBe(true);
  expect(tokens[1]).toEqual(tokens[0]);
  expect(fake.bytesReceived() - before).toBe(LARGE.length - PART_BYTES);
  // A token for other bytes, or for an unknown session, is not used.
  fake.forgetSessions();
  const other = await store.putFile('elsewhere-2', path, {
    upload: { ...tokens[0]!, uri: 'gs://bucket/run/elsewhere-2' },
  });
  expect(other.bytes).toBe(LARGE.length);
});

it('finds out at the end that what was sent before were other bytes, and begins anew', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'stp-resume-')), 'weights');
  const others = Buffer.from(LARGE);
  others[5]! ^= 1;
  await writeFile(path, others);
  await putInPart('changed-file', path);
  await writeFile(path, LARGE);
  const ref = await store.putFile('changed-file', path, { count: 2 });
  expect(fake.object('bucket', 'run/changed-file')?.data.equals(LARGE)).toBe(true);
  expect(await store.stat('changed-file')).toEqual(ref);
});

it('begins anew when the service has forgotten the session on the way', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'stp-resume-')), 'weights');
  await writeFile(path, LARGE);
  let forgotten = false;
  const onProgress = (): void => {
    if (!forgotten) fake.forgetSessions();
    forgotten = true;
  };
  await expect(store.putFile('forgotten', path, { onProgress })).rejects.toMatchObject({ code: 'STP1401' });
  await store.putFile('forgotten', path);
  expect(fake.object('bucket', 'run/forgotten')?.data.equals(LARGE)).toBe(true);
});

it('heals a removal whose answer is lost', async () => {
  const ref = await store.put('removed', 'text');
  fake.inject(/^DELETE/, { kind: 'drop-answer' });
  await store.remove(ref);
  expect(fake.pendingFaults()).toBe(0);
  expect(fake.object('bucket', 'run/removed')).toBeUndefined();
});

it('goes on with a download that a killed process had begun, and asks for the rest alone', async () => {
  const ref = await store.put('fetched', LARGE);
  const folder = await mkdtemp(join(tmpdir(), 'stp-fetch-'));
  const path = join(folder, 'weights');
  const module = new URL('../../../infra/stores/open-store.ts', import.meta.url).href;
  const script = `
    import { openStore } from ${JSON.stringify(module)};
    const store = await openStore('gs://bucket/run');
    await store.download(${JSON.stringify(ref)}, ${JSON.stringify(path)});`;
  fake.inject(MEDIA, { kind: 'stall-download', afterBytes: 9 * MEBIBYTE });
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await expect.poll(async () => partialBytes(folder), { timeout: 60_000 }).toBeGreaterThan(8 * MEBIBYTE);
  child.kill('SIGKILL');
  await once(child, 'close');
  const before = fake.requests.length;
  const sent = fake.bytesSent();
  await store.download(ref, path);
  expect((await readFile(path)).equals(LARGE)).toBe(true);
  expect(await readdir(folder)).toEqual(['weights']);
  expect(fake.bytesSent() - sent).toBeLessThan(LARGE.length - 8 * MEBIBYTE + 64 * 1024);
  expect(fake.requests.slice(before).filter((line) => MEDIA.test(line)).length).toBe(1);
});

async function partialBytes(folder: string): Promise<number> {
  const [name] = await readdir(folder);
  return name === undefined ? 0 : (await stat(join(folder, name))).size;
}

it.each([
  ['gone', (note: object) => ({ ...note, session: `${fake.endpoint}/upload/storage/v1/b/bucket/o?upload_id=none` })],
  ['of another size', (note: object) => ({ ...note, bytes: 7 })],
  ['unreadable', () => 'text'],
])('begins anew when the noted session is %s', async (what, spoil) => {
  const path = join(await mkdtemp(join(tmpdir(), 'stp-resume-')), 'weights');
  await writeFile(path, LARGE);
  const name = `anew/${what.replaceAll(' ', '-')}`;
  // An interrupted put leaves its note.
  await putInPart(name, path);
  const [file] = await readdir(notes);
  const note = JSON.parse(await readFile(join(notes, file!), 'utf8')) as object;
  await writeFile(join(notes, file!), JSON.stringify(spoil(note)));
  await store.putFile(name, path);
  expect(fake.object('bucket', `run/${name}`)?.data.equals(LARGE)).toBe(true);
  expect(await readdir(notes)).toEqual([]);
});
