/** The external sort against the one in memory, with buffers so small that it spills and merges in several passes. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { externalSort, firstOfEach, groupSorted } from '../../activities/records/external-sort.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-sort-test-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

interface Row {
  readonly key: string;
  readonly index: number;
  readonly text: string;
}
const key = (row: Row): string => row.key;
const rowsOf = (entries: readonly { key: string; text: string }[]): Row[] =>
  entries.map((entry, index) => ({ ...entry, index }));
const inMemory = (rows: readonly Row[]): Row[] => rows.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
/** Few keys, so that many are equal; texts with line ends, tabs and everything else that a file could trip over. */
const entries = fc.array(
  fc.record({
    key: fc.string({ unit: fc.constantFrom('a', 'b', ' ', '~', '0'), maxLength: 3 }),
    text: fc.string({ unit: 'binary' }),
  }),
  { maxLength: 120 },
);

it('agrees with Array.sort, also in stability, for any size of the buffer and any number of files merged at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      entries,
      fc.integer({ min: 1, max: 4_000 }),
      fc.integer({ min: 2, max: 5 }),
      async (made, bufferBytes, fanIn) => {
        const rows = rowsOf(made);
        expect(await Array.fromAsync(externalSort(rows, { key, directory, bufferBytes, fanIn }))).toEqual(
          inMemory(rows),
        );
        expect(await readdir(directory)).toEqual([]);
      },
    ),
    { numRuns: 60, seed: 1 },
  );
});

it('groups and drops repeats as a map does', async () => {
  await fc.assert(
    fc.asyncProperty(entries, async (made) => {
      const rows = rowsOf(made);
      const sorted = () => externalSort(rows, { key, directory, bufferBytes: 500, fanIn: 2 });
      const groups = [...Map.groupBy(inMemory(rows), key).values()];
      expect(await Array.fromAsync(groupSorted(sorted(), key))).toEqual(groups);
      expect(await Array.fromAsync(firstOfEach(sorted(), key))).toEqual(groups.map((group) => group[0]));
    }),
    { numRuns: 30, seed: 2 },
  );
});

it('sorts records longer than any buffer', async () => {
  const rows = rowsOf([3, 1, 2].map((n) => ({ key: `${n}`, text: 'é'.repeat(400_000) })));
  const sorted = await Array.fromAsync(externalSort(rows, { key, directory, bufferBytes: 1, fanIn: 2 }));
  expect(sorted).toEqual(inMemory(rows));
});

it('leaves no files behind when its reader stops early or its source fails', async () => {
  const rows = rowsOf(Array.from({ length: 100 }, (_, n) => ({ key: `${n}`, text: 'x' })));
  for await (const row of externalSort(rows, { key, directory, bufferBytes: 300, fanIn: 4 }))
    if (row.key === '5') break;
  expect(await readdir(directory)).toEqual([]);
  async function* failing(): AsyncGenerator<Row> {
    yield* rows;
    throw new Error('the source failed');
  }
  const sorted = externalSort(failing(), { key, directory, bufferBytes: 300, fanIn: 4 });
  await expect(Array.fromAsync(sorted)).rejects.toThrow('the source failed');
  expect(await readdir(directory)).toEqual([]);
});

it('refuses a key that a file could not keep apart from its record', async () => {
  const sorted = externalSort([{ key: 'a\tb' }], { key: (row) => row.key, directory });
  await expect(Array.fromAsync(sorted)).rejects.toMatchObject({ code: 'STP1002' });
});
