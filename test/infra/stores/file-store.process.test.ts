/**
 * Tests faults that only a folder can have: killed writers, full disks, missing rights, leftovers, files by other hands. About
 * 10 s.
 */
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { CRC32C } from '@google-cloud/storage';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Crc32c } from '../../../infra/stores/crc32c.ts';
import { openStore } from '../../../infra/stores/open-store.ts';
import { startRacer } from './start-racers.ts';

/** Most kills; each has its letter. */
const KILLS_MAX = 26;

async function newStore() {
  const folder = await mkdtemp(join(tmpdir(), 'stp-file-store-'));
  const uri = pathToFileURL(folder).href;
  return { folder, uri, store: await openStore(uri) };
}

it('computes CRC-32C as RFC 3720 and as Google’s library do, however the bytes are cut', () => {
  expect(new Crc32c().update(Buffer.alloc(32)).toBase64()).toBe('ipE2qg=='); // RFC 3720, B.4: 32 bytes of zeroes
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(300), { maxLength: 4 }), (bytes, cuts) => {
      const theirs = new CRC32C();
      theirs.update(Buffer.from(bytes));
      const ours = new Crc32c();
      const ends = [
        0,
        ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((left, right) => left - right),
        bytes.length,
      ];
      for (let index = 1; index < ends.length; index += 1) ours.update(bytes.subarray(ends[index - 1], ends[index]));
      expect([ours.toBase64(), ours.bytes]).toEqual([theirs.toString(), bytes.length]);
    }),
    { seed: 1 },
  );
});

it('has only whole objects whenever writers are killed, and the retried put of each succeeds', async () => {
  const { folder, uri, store } = await newStore();
  const inParts = new Set<string>();
  // Eight kills, and more until one has hit a writer during a write.
  for (let kill = 0; kill < 8 || (inParts.size === 0 && kill < KILLS_MAX); kill += 1) {
    const letter = String.fromCharCode(97 + kill);
    const writer = startRacer(uri, 'write-until-killed', letter);
    await once(writer.stdout, 'data');
    writer.stdin.write('go\n');
    // Some writers are caught in their first object, some in a later one.
    while (kill % 2 === 1 && (await store.stat(`killed/${letter}-2`)) === null) await sleep(1);
    await sleep((kill % 8) * 3);
    writer.kill('SIGKILL');
    await writer;

    let next = 0;
    for await (const object of store.list(`killed/${letter}-`)) {
      const ref = await store.stat(object.name);
      const text = (await store.get(ref!)).toString();
      expect(text).toBe(`${ref?.count} ${letter.repeat(300_000)}`);
      next = Math.max(next, (ref?.count ?? 0) + 1);
    }
    // A retried activity puts the interrupted object again.
    const name = `killed/${letter}-${next}`;
    const ref = await store.put(name, `${next} ${letter.repeat(300_000)}`, { count: next });
    expect(await store.stat(name)).toEqual(ref);
    for (const left of await readdir(join(folder, '.stp', 'temporary'))) inParts.add(left);
  }
  expect(inParts.size).toBeGreaterThan(0);
});

it('removes what killed writers left a day ago, and nothing younger', async () => {
  const { folder, uri, store } = await newStore();
  await store.put('kept', 'x');
  const temporary = join(folder, '.stp', 'temporary');
  await writeFile(join(temporary, 'old'), 'half');
  await writeFile(join(temporary, 'young'), 'half');
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
  await utimes(join(temporary, 'old'), yesterday, yesterday);
  const again = await openStore(uri);
  expect(await readdir(temporary)).toEqual(['young']);
  expect((await again.stat('kept'))?.bytes).toBe(1);
});

it('tells two interrupted puts of one size apart by the bytes', async () => {
  const { folder, store } = await newStore();
  const ref = await store.put('object', 'winner', { count: 7 });
  // Simulates a process that was killed after its mark and before its link.
  const loser = new Crc32c().update(Buffer.from('losers')).toBase64();
  await writeFile(join(folder, '.stp', 'marks', 'object', `${Buffer.from(loser, 'base64').toString('hex')}-6-9`), '');
  expect(await store.stat('object')).toEqual(ref);
  await expect(store.put('object', 'losers')).rejects.toMatchObject({ code: 'STP1404' });
});

it('does not take files by other hands for its objects', async () => {
  const { folder, store } = await newStore();
  await store.put('a', 'x');
  await writeFile(join(folder, 'foreign'), 'theirs');
  expect(await store.stat('foreign')).toBeNull();
  const names = [];
  for await (const { name } of store.list('')) names.push(name);
  expect(names).toEqual(['a']);
  await expect(store.put('foreign', 'others')).rejects.toMatchObject({ code: 'STP1404' });
  expect(await readFile(join(folder, 'foreign'), 'utf8')).toBe('theirs');
  await expect(store.put('a/below', 'x')).rejects.toMatchObject({
    code: 'STP1401',
    advice: expect.stringContaining('folder'),
  });
});

it('keeps its objects when the folder is moved', async () => {
  const { folder, store } = await newStore();
  const ref = await store.put('a/b', 'text', { count: 5 });
  await rename(folder, `${folder}-moved`);
  const moved = await openStore(pathToFileURL(`${folder}-moved`).href);
  expect(await moved.stat('a/b')).toEqual({ ...ref, uri: `${moved.root}/a/b` });
});

/** Runs the racer on a small file system with `mountFlags`, in its own mount namespace. */
async function onSmallDisk(task: string, mountFlags: string) {
  const folder = await mkdtemp(join(tmpdir(), 'stp-small-'));
  const racer = new URL('./racer.ts', import.meta.url).pathname;
  const script = `
    mount -t tmpfs -o ${mountFlags} none "$0" || exit 77
    mkdir "$0/store" 2>/dev/null; (sleep 0.5; echo go) | "$1" "$2" "file://$0/store" ${task} x
    find "$0/store" -type f -size +0 | wc -l`;
  const namespace = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
  const command = ['unshare', ...namespace, 'bash', '-c', script, folder, process.execPath, racer];
  const result = await execa(command[0]!, command.slice(1), { reject: false });
  return { possible: result.exitCode === 0, why: result.stderr, lines: result.stdout.split('\n') };
}

describe('a disk that cannot take the bytes', () => {
  it.for([
    ['full', 'size=1m', 'ENOSPC', /disk is full/],
    ['read-only', 'ro,size=1m', 'EROFS', /read-only/],
  ] as const)('says that the disk is %s, and leaves nothing', async ([, flags, reason, advice], { skip }) => {
    const { possible, why, lines } = await onSmallDisk('fill', flags);
    skip(!possible, `this machine allows no mount namespaces: ${why}`);
    expect(lines[0]).toBe('ready');
    expect(JSON.parse(lines[1]!)).toEqual({ code: 'STP1401', reason, advice: expect.stringMatching(advice) });
    expect(lines[2]).toBe('0');
  });

  it('says that it may not write there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stp-denied-'));
    await mkdir(join(folder, 'store'), { mode: 0o555 });
    const racer = new URL('./racer.ts', import.meta.url).pathname;
    const command = [process.execPath, racer, `file://${folder}/store`, 'fill', 'x'];
    // Root may write anywhere unless it drops that right.
    const drop = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'] : [];
    const result = await execa(drop[0] ?? command[0]!, [...drop, ...command].slice(1), {
      input: 'go\n',
      reject: false,
    });
    expect(JSON.parse(result.stdout.split('\n')[1] ?? result.stderr)).toMatchObject({
      code: 'STP1401',
      reason: 'EACCES',
      advice: expect.stringContaining('right to write'),
    });
    expect(await readdir(join(folder, 'store'))).toEqual([]);
  });
});
