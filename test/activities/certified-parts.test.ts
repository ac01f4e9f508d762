/** Proofs in parts: cut once and for all, and put together in their order. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ArtifactRef, type ObjectStore, type Proved, provedSchema } from '@stp/config/records';
import { proved } from '@stp/config/testing';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cutProofsActivity, PART_PROOFS_MIN } from '../../activities/control/cut-proofs.ts';
import { joinCertifiedActivity } from '../../activities/control/join-certified.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import type { Certified } from '../../activities/round/certified.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { forget } from './forget.ts';

let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-certified-parts-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const name = 'rounds/1';
const ports = { store: async () => store };
const proofs = (count: number): Proved[] =>
  Array.from({ length: count }, (_, index) => proved(`theorem a (n : Nat) : n + ${index} = n`, 'simp'));
const cut = (found: ArtifactRef, partsWanted: number): Promise<readonly ArtifactRef[]> =>
  new MockActivityEnvironment().run(cutProofsActivity(ports).cutProofs, {
    run: 'test',
    name,
    proved: found,
    partsWanted,
  });
const together = (parts: readonly ArtifactRef[], refused: number): Promise<Certified> =>
  new MockActivityEnvironment().run(joinCertifiedActivity(ports).joinCertified, {
    run: 'test',
    name,
    certified: parts.map((part) => ({ proved: part, certified: part.count, refused, disagreements: 1 })),
  });

it.each([
  [0, 4, []],
  [1, 4, [1]],
  [2 * PART_PROOFS_MIN - 1, 4, [2 * PART_PROOFS_MIN - 1]],
  [3 * PART_PROOFS_MIN + 2, 2, [Math.ceil(PART_PROOFS_MIN * 1.5 + 1), Math.floor(PART_PROOFS_MIN * 1.5 + 1)]],
  [3 * PART_PROOFS_MIN + 2, 100, [PART_PROOFS_MIN + 1, PART_PROOFS_MIN + 1, PART_PROOFS_MIN]],
])('%i proofs for %i parts are cut into %j, and come back in order', async (count, partsWanted, sizes) => {
  const all = proofs(count);
  const parts = await cut(await writeRecords(store, 'found.jsonl', all), partsWanted);
  expect(parts.map((part) => part.count)).toEqual(sizes);
  const joined = await together(parts, 2);
  expect(joined).toMatchObject({ certified: count, refused: 2 * sizes.length, disagreements: sizes.length });
  expect(await readAll(store, joined.proved, provedSchema)).toEqual(all);
});

it('stay as they were cut where a later attempt finds another fleet', async () => {
  const found = await writeRecords(store, 'found.jsonl', proofs(2 * PART_PROOFS_MIN));
  const parts = await cut(found, 2);
  expect(parts).toHaveLength(2);
  expect(await cut(found, 1)).toEqual(parts);
  await forget(directory, `${name}/proof-parts.json`);
  expect(await cut(found, 2)).toEqual(parts);
});
