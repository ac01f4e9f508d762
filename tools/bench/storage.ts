/**
 * Measures checkpoints to and from a bucket: our resumable, checked paths against a plain copy in one request each way,
 * alternately, through the same server, which is a separate process. It also measures the memory of the transfers.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openStore } from '../../infra/stores/open-store.ts';
import { median, row } from './measure.ts';

const MEBIBYTE = 1 << 20;
const FILE_BYTES = 256 * MEBIBYTE;
const ROUNDS = 9;
const MEMORY_SAMPLE_MS = 20;

export async function benchStorage(directory: string): Promise<void> {
  const path = join(directory, 'weights');
  const file = await open(path, 'w');
  for (let at = 0; at < FILE_BYTES; at += 16 * MEBIBYTE) await file.write(randomBytes(16 * MEBIBYTE));
  await file.close();
  const server = spawn(process.execPath, [join(import.meta.dirname, 'storage-server.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(server.stdout, 'data')) as [Buffer];
    const endpoint = line.toString().trim();
    process.env.STP_GCS_ENDPOINT = endpoint;
    process.env.XDG_CACHE_HOME = join(directory, 'cache');
    await compare(endpoint, path, join(directory, 'copy'));
  } finally {
    delete process.env.STP_GCS_ENDPOINT;
    server.kill();
    await once(server, 'close');
  }
}

async function compare(endpoint: string, path: string, copy: string): Promise<void> {
  const store = await openStore('gs://bucket/run');
  const seconds = {
    plainUp: [] as number[],
    ourUp: [] as number[],
    plainDown: [] as number[],
    ourDown: [] as number[],
  };
  let memoryBytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const name = `plain-${round}`;
    const plainUp = async () => seconds.plainUp.push(await timed(() => plainUpload(endpoint, name, path)));
    const ourUp = async () => {
      const up = await measured(() => store.putFile(`ours-${round}`, path));
      seconds.ourUp.push(up.seconds);
      return up;
    };
    // Who comes first takes turns: the garbage of one is collected in the time of the next.
    if (round % 2 === 0) await plainUp();
    const up = await ourUp();
    if (round % 2 === 1) await plainUp();
    const plainDown = async () => {
      seconds.plainDown.push(await timed(() => plainDownload(endpoint, name, copy)));
      await rm(copy);
    };
    if (round % 2 === 0) await plainDown();
    const down = await measured(() => store.download(up.value, copy));
    seconds.ourDown.push(down.seconds);
    await rm(copy);
    if (round % 2 === 1) await plainDown();
    memoryBytes = Math.max(memoryBytes, up.memoryBytes, down.memoryBytes);
    // The server holds everything in memory.
    await store.remove(up.value);
    await fetch(`${endpoint}/storage/v1/b/bucket/o/${name}`, { method: 'DELETE' });
  }
  const rate = (times: readonly number[]): number => FILE_BYTES / MEBIBYTE / median(times);
  row('storage: upload in one request, unchecked', rate(seconds.plainUp), 'MiB/s');
  row('storage: our upload, resumable and checked', rate(seconds.ourUp), 'MiB/s');
  row('storage: ratio of uploads', (100 * rate(seconds.ourUp)) / rate(seconds.plainUp), '%');
  row('storage: download in one request, unchecked', rate(seconds.plainDown), 'MiB/s');
  row('storage: our download, resumable and checked', rate(seconds.ourDown), 'MiB/s');
  row('storage: ratio of downloads', (100 * rate(seconds.ourDown)) / rate(seconds.plainDown), '%');
  row('storage: memory above the start of a transfer, at most', memoryBytes / MEBIBYTE, 'MiB');
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  return (await measured(work)).seconds;
}

async function measured<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly seconds: number; readonly memoryBytes: number }> {
  const before = process.memoryUsage.rss();
  let highest = before;
  const sampling = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, MEMORY_SAMPLE_MS);
  const started = performance.now();
  try {
    const value = await work();
    return { value, seconds: (performance.now() - started) / 1_000, memoryBytes: highest - before };
  } finally {
    clearInterval(sampling);
  }
}

async function plainUpload(endpoint: string, name: string, path: string): Promise<void> {
  const response = await fetch(`${endpoint}/upload/storage/v1/b/bucket/o?uploadType=media&name=${name}`, {
    method: 'POST',
    body: Readable.toWeb(createReadStream(path, { highWaterMark: MEBIBYTE })) as unknown as ReadableStream,
    duplex: 'half',
  });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  await response.text();
}

async function plainDownload(endpoint: string, name: string, path: string): Promise<void> {
  const response = await fetch(`${endpoint}/storage/v1/b/bucket/o/${name}?alt=media`);
  if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(path, { flush: true }));
}
