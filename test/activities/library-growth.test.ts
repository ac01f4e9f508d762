/** How many theorems a growth of the library adds, with Lean left out: every theorem fits. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { proved } from '@stp/config/testing';
import { expect, it, onTestFinished } from 'vitest';
import { writeRecords } from '../../activities/records/record-files.ts';
import { libraryAfter } from '../../activities/round/library.ts';
import { openStore } from '../../infra/stores/open-store.ts';

it('adds a thousand theorems under each header at most, those proved least often first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stp-growth-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = await openStore(pathToFileURL(folder).href);
  const theorem = (header: string, index: number, passRate: number) =>
    proved(`theorem t${index} : ${index} = ${index}`, 'rfl', { statementId: `${header} ${index}`, header, passRate });
  const [often, seldom, other] = [0.9, 0.1, 0.5];
  const certified = [
    ...Array.from({ length: 700 }, (_, index) => theorem('import A', index, often)),
    ...Array.from({ length: 700 }, (_, index) => theorem('import A', 700 + index, seldom)),
    ...Array.from({ length: 600 }, (_, index) => theorem('import B', index, other)),
  ];
  const refs = await writeRecords(store, 'proved.jsonl', certified);
  const ports = { store: async () => store, growable: async (_run: string, _earlier: unknown, added: never) => added };
  const { added } = await libraryAfter(
    ports as never,
    'run',
    { round: 0, library: null, proved: refs },
    { verification: {} as never },
    new AbortController().signal,
  );
  const under = (header: string) => added.filter((one) => one.header === header);
  expect([under('import A').length, under('import B').length]).toEqual([1_000, 600]);
  const rateOf = new Map(certified.map(({ statementId, passRate }) => [statementId, passRate]));
  const rates = under('import A').map(({ statementId }) => rateOf.get(statementId));
  expect(rates).toEqual([...Array(700).fill(seldom), ...Array(300).fill(often)]);
  expect(added.map(({ name }) => name)).toEqual(added.map((_, index) => `Grown.g${index + 1}`));
});
