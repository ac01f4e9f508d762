/** The contract of every `ObjectStore`; run over each implementation by `stores.process.test.ts`. */
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { artifactRefSchema, type ObjectStore } from '@stp/config/records';
import { describe, expect, it } from 'vitest';
import { RACED_NAMES } from './racer.ts';
import { race } from './start-racers.ts';

export interface StoreUnderTest {
  /** A URI that was not used before. */
  readonly uri: string;
  readonly store: ObjectStore;
  readonly environment: Record<string, string>;
  /** Changes the stored bytes behind the store's back. */
  spoil(name: string, change: (bytes: Buffer) => Buffer): Promise<void>;
}

/** Longer than one chunk of any store, of bytes that differ everywhere. */
const LARGE = Buffer.from(Uint32Array.from({ length: 2_500_000 }, (_, index) => Math.imul(index, 2654435761)).buffer);

export function storeContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    it('gives back what was put, with a complete reference', async () => {
      const { store } = await make();
      const ref = await store.put('round-1/proofs.jsonl', 'α\n{}\n', { count: 2 });
      expect(artifactRefSchema.parse(ref)).toEqual(ref);
      expect(ref).toMatchObject({ uri: `${store.root}/round-1/proofs.jsonl`, bytes: 6, count: 2 });
      expect((await store.get(ref)).toString()).toBe('α\n{}\n');
      expect(await store.stat('round-1/proofs.jsonl')).toEqual(ref);
      expect(await store.stat('round-1/none')).toBeNull();
    });

    it('takes strings, bytes, streams and files alike, the empty object too', async () => {
      const { store } = await make();
      const path = join(await mkdtemp(join(tmpdir(), 'stp-store-')), 'file');
      await writeFile(path, 'bytes');
      const refs = [
        await store.put('a', 'bytes'),
        await store.put('b', new Uint8Array(Buffer.from('bytes'))),
        await store.put('c', Readable.from(['by', 'tes'])),
        await store.putFile('d', path),
      ];
      expect(new Set(refs.map((ref) => ref.crc32c)).size).toBe(1);
      for (const ref of refs) expect((await store.get(ref)).toString()).toBe('bytes');
      const empty = await store.put('empty', '');
      expect([empty.bytes, (await store.get(empty)).length, empty.crc32c]).toEqual([0, 0, 'AAAAAA==']);
    });

    it('puts once: the same bytes again are fine, other bytes are STP1404', async () => {
      const { store } = await make();
      const first = await store.put('once', 'bytes', { count: 3 });
      expect(await store.put('once', Readable.from(['bytes']), { count: 3 })).toEqual(first);
      await expect(store.put('once', 'other')).rejects.toMatchObject({ code: 'STP1404' });
      await expect(store.put('once', Readable.from([LARGE]))).rejects.toMatchObject({ code: 'STP1404' });
      expect((await store.get(first)).toString()).toBe('bytes');
    });

    it('carries large objects as streams and files', async () => {
      const { store } = await make();
      let told = 0;
      const ref = await store.put('large', Readable.from([LARGE.subarray(0, 7), LARGE.subarray(7)]), {
        onProgress: (bytes) => {
          expect(bytes).toBeGreaterThanOrEqual(told);
          told = bytes;
        },
      });
      expect([ref.bytes, told]).toEqual([LARGE.length, LARGE.length]);
      expect((await store.get(ref)).equals(LARGE)).toBe(true);
      const folder = await mkdtemp(join(tmpdir(), 'stp-store-'));
      await store.download(ref, join(folder, 'sub', 'copy'));
      expect((await readFile(join(folder, 'sub', 'copy'))).equals(LARGE)).toBe(true);
      expect(await readdir(join(folder, 'sub'))).toEqual(['copy']);
      expect(await store.putFile('large', join(folder, 'sub', 'copy'))).toEqual(ref);
    });

    it('notices a changed byte and a cut-short object in every way of reading', async () => {
      const { store, spoil } = await make();
      const flipped = await store.put('flipped', 'x'.repeat(100_000));
      await spoil('flipped', (bytes) => {
        bytes[50_000]! ^= 1;
        return bytes;
      });
      const cut = await store.put('cut', 'y'.repeat(100_000));
      await spoil('cut', (bytes) => bytes.subarray(0, 99_999));
      const folder = await mkdtemp(join(tmpdir(), 'stp-store-'));
      for (const ref of [flipped, cut]) {
        await expect(store.get(ref)).rejects.toMatchObject({ code: 'STP1402' });
        await expect(consume(await store.stream(ref))).rejects.toMatchObject({ code: 'STP1402' });
        await expect(store.download(ref, join(folder, 'copy'))).rejects.toMatchObject({ code: 'STP1402' });
      }
      expect(await readdir(folder)).toEqual([]);
    });

    it('tells what is missing, and refuses what is another store’s', async () => {
      const { store } = await make();
      const ref = await store.put('there', 'x');
      const gone = { ...ref, uri: `${store.root}/gone` };
      await expect(store.get(gone)).rejects.toMatchObject({ code: 'STP1403' });
      await expect(store.get({ ...gone, bytes: 0, crc32c: 'AAAAAA==' })).rejects.toMatchObject({ code: 'STP1403' });
      await expect(store.get({ ...ref, uri: 'gs://elsewhere/there' })).rejects.toMatchObject({ code: 'STP1002' });
      await expect(store.putFile('f', '/nowhere/file')).rejects.toMatchObject({ code: 'STP1403' });
    });

    it.each([
      '../up',
      'a/../b',
      '/a',
      'a/',
      'a//b',
      '',
      '.',
      'a b',
      'a\0b',
      'a\\b',
      '%2e',
      '.stp/marks',
      'x'.repeat(900),
    ])('refuses the name %j', async (wrong) => {
      const { store } = await make();
      await expect(store.put(wrong, 'x')).rejects.toMatchObject({ code: 'STP1002' });
      await expect(store.stat(wrong)).rejects.toMatchObject({ code: 'STP1002' });
      const other = { uri: `${store.root}/${wrong}`, generation: '1', crc32c: 'AAAAAA==', bytes: 0, count: 1 };
      await expect(store.get(other)).rejects.toMatchObject({ code: 'STP1002' });
    });

    it('removes an object once, and then takes other bytes under its name', async () => {
      const { store } = await make();
      const ref = await store.put('old/weights', 'first');
      expect(await store.remove({ ...ref, generation: `${ref.generation}1` })).toBe(false);
      expect((await store.get(ref)).toString()).toBe('first');
      expect(await store.remove(ref)).toBe(true);
      expect(await store.remove(ref)).toBe(false);
      await expect(store.get(ref)).rejects.toMatchObject({ code: 'STP1403' });
      expect([await store.stat('old/weights'), await listed(store, 'old')]).toEqual([null, []]);
      const second = await store.put('old/weights', 'second', { count: 7 });
      expect([(await store.get(second)).toString(), second.count]).toEqual(['second', 7]);
      await expect(store.remove({ ...ref, uri: 'gs://elsewhere/there' })).rejects.toMatchObject({ code: 'STP1002' });
    });

    it('goes on with a download that was ended, and with nobody else’s', async () => {
      const { store } = await make();
      const ref = await store.put('large', LARGE);
      const folder = await mkdtemp(join(tmpdir(), 'stp-store-'));
      const path = join(folder, 'copy');
      const stem = `copy.${Buffer.from(ref.crc32c, 'base64').toString('hex')}-${ref.generation}`;
      // What a killed process had of this object, and what one had of another.
      await writeFile(join(folder, `${stem}.0-0-1.partial`), LARGE.subarray(0, 6_000_000));
      await writeFile(join(folder, `copy.00000000-${ref.generation}.0-0-1.partial`), 'of another object');
      await store.download(ref, path);
      expect((await readFile(path)).equals(LARGE)).toBe(true);
      expect((await readdir(folder)).sort()).toEqual(['copy', `copy.00000000-${ref.generation}.0-0-1.partial`]);
      // Wrong bytes are detected at the end and removed, so the next attempt succeeds.
      await writeFile(join(folder, `${stem}.0-0-1.partial`), Buffer.alloc(1_000));
      await expect(store.download(ref, path)).rejects.toMatchObject({ code: 'STP1402' });
      await store.download(ref, path);
      // The signal ends the transfer; the received part stays for the next attempt.
      const controller = new AbortController();
      const reason = new Error('stop now');
      controller.abort(reason);
      await expect(store.download(ref, join(folder, 'other'), { signal: controller.signal })).rejects.toBe(reason);
    });

    it('lists by prefix in byte order, objects only', async () => {
      const { store } = await make();
      const names = ['a', 'b/1', 'b/10', 'b/2', 'b-x', 'b.x', 'B', 'c/d/e', 'c-d'];
      for (const [index, name] of names.entries()) await store.put(name, 'z'.repeat(index));
      const sorted = [...names].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
      expect(await listed(store, '')).toEqual(sorted);
      expect(await listed(store, 'b/')).toEqual(['b/1', 'b/10', 'b/2']);
      expect(await listed(store, 'b/1')).toEqual(['b/1', 'b/10']);
      expect(await listed(store, 'c')).toEqual(['c-d', 'c/d/e']);
      expect(await listed(store, 'none/')).toEqual([]);
      for await (const object of store.list('b.x')) {
        const ref = await store.stat('b.x');
        expect(object).toMatchObject({ bytes: 5, crc32c: ref?.crc32c, generation: ref?.generation });
        expect(object.updated.getTime()).toBeGreaterThan(0);
      }
    });

    it('ends a put when its signal is aborted, and leaves nothing', async () => {
      const { store } = await make();
      const controller = new AbortController();
      const reason = new Error('stop now');
      const source = new Readable({ read() {} });
      source.push(LARGE);
      const put = store.put('aborted', source, { signal: controller.signal });
      setImmediate(() => controller.abort(reason));
      await expect(put).rejects.toBe(reason);
      expect(source.destroyed).toBe(true);
      expect(await store.stat('aborted')).toBeNull();
      await expect(store.put('aborted', 'x', { signal: controller.signal })).rejects.toBe(reason);
    });

    it('passes on the failure of a source and leaves nothing', async () => {
      const { store } = await make();
      const broken = Readable.from(
        (async function* () {
          yield LARGE;
          throw new Error('the source broke');
        })(),
      );
      await expect(store.put('broken', broken)).rejects.toThrow('the source broke');
      expect(await store.stat('broken')).toBeNull();
    });

    it('lets a stream be left unread', async () => {
      const { store } = await make();
      const ref = await store.put('large', LARGE);
      const stream = await store.stream(ref);
      for await (const piece of stream) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
      expect(stream.destroyed).toBe(true);
      (await store.stream(ref)).destroy();
      expect((await store.get(ref)).equals(LARGE)).toBe(true);
    });

    it('has one winner a name when processes put different bytes at once', async () => {
      const { uri, store, environment } = await make();
      const letters = ['A', 'B', 'C'];
      const results = await race<string[]>(uri, 'put-own', letters, environment);
      for (let index = 0; index < RACED_NAMES; index += 1) {
        const codes = results.map((result) => result[index]);
        expect([...codes].sort()).toEqual(['STP1404', 'STP1404', 'put']);
        const ref = await store.stat(`raced/${index}`);
        expect((await store.get(ref!)).toString()).toBe(`${letters[codes.indexOf('put')]} ${index}`);
      }
    });

    it('has no loser when processes put the same bytes at once', async () => {
      const { uri, environment } = await make();
      const results = await race<string[]>(uri, 'put-same', ['A', 'B', 'C'], environment);
      for (const result of results) expect(result).toEqual(Array.from({ length: RACED_NAMES }, () => 'put'));
    });
  });
}

async function listed(store: ObjectStore, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const object of store.list(prefix)) names.push(object.name);
  return names;
}

async function consume(stream: Readable): Promise<void> {
  for await (const _ of stream);
}
