/** Tests which checkpoints stay, in a folder, since both stores behave alike. */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CheckpointRef, ObjectStore } from '@stp/config/records';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { Dropped } from '../../activities/control/drop-checkpoints.ts';
import { dropCheckpointsActivity } from '../../activities/control/drop-checkpoints.ts';
import { openStore } from '../../infra/stores/open-store.ts';

async function storeWith(
  folders: readonly string[],
): Promise<{ store: ObjectStore; refs: Map<string, CheckpointRef> }> {
  const store = await openStore(pathToFileURL(await mkdtemp(join(tmpdir(), 'stp-retention-'))).href);
  const refs = new Map<string, CheckpointRef>();
  for (const folder of folders) {
    await store.put(`checkpoints/${folder}/model.safetensors`, folder.repeat(10));
    await store.put(`checkpoints/${folder}/tokenizer.json`, '{}');
    const manifest = await store.put(`checkpoints/${folder}/files.json`, folder);
    await store.put(`checkpoints/${folder}/trained.json`, '{}');
    refs.set(folder, { manifest, model: folder });
  }
  return { store, refs };
}

async function weightsIn(store: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of store.list('checkpoints/'))
    if (name.endsWith('/model.safetensors')) found.push(name.split('/')[1]!);
  return found;
}

const FOLDERS = [
  'mystery',
  'retrain-2-aa',
  'round-0-aa',
  'round-1-aa',
  'round-2-aa',
  'round-3-aa',
  'round-3-bb',
  'sft-aa',
];

async function drop(
  lastRounds: number | null,
  everyRounds: number | null,
  inUse: readonly string[] = ['sft-aa', 'round-3-bb'],
) {
  const { store, refs } = await storeWith(FOLDERS);
  const { dropCheckpoints } = dropCheckpointsActivity({ store: async () => store });
  const input = {
    run: 'r',
    retention: { lastRounds, everyRounds },
    round: 3,
    inUse: inUse.map((folder) => refs.get(folder)!),
  };
  const run = (): Promise<Dropped> => new MockActivityEnvironment().run(dropCheckpoints, input);
  const dropped = await run();
  const again = await run();
  return { store, dropped, again, left: await weightsIn(store) };
}

describe('dropping checkpoints', () => {
  it('drops states that a training which was given up has left', async () => {
    const { store, refs } = await storeWith(['round-2-aa', 'round-3-aa']);
    const state = (round: number) => `checkpoints/round-${round}-aa/state/step-000000005.0123456789ab.whole.json`;
    for (const round of [2, 3, 4]) await store.put(state(round), 'a state');
    const { dropCheckpoints } = dropCheckpointsActivity({ store: async () => store });
    const retention = { lastRounds: 9, everyRounds: null };
    const input = { run: 'r', retention, round: 3, inUse: [refs.get('round-3-aa')!] };
    const dropped: Dropped = await new MockActivityEnvironment().run(dropCheckpoints, input);
    expect(dropped).toEqual({ checkpoints: [], bytes: 2 * 'a state'.length });
    expect(await Promise.all([2, 3, 4].map(async (round) => (await store.stat(state(round))) !== null))).toEqual([
      false,
      false,
      true,
    ]);
    expect(await weightsIn(store)).toEqual(['round-2-aa', 'round-3-aa']);
  });

  it('drops none where all are kept', async () => {
    const { dropped, left } = await drop(null, null);
    expect(dropped).toEqual({ checkpoints: [], bytes: 0 });
    expect(left).toEqual(FOLDERS);
  });

  it('keeps those of the last rounds, the SFT model, and what it cannot place', async () => {
    const { dropped, again, left, store } = await drop(2, null);
    expect(left).toEqual(['mystery', 'retrain-2-aa', 'round-2-aa', 'round-3-aa', 'round-3-bb', 'sft-aa']);
    expect(dropped.checkpoints).toEqual(['checkpoints/round-0-aa', 'checkpoints/round-1-aa']);
    expect(dropped.bytes).toBe(2 * ('round-0-aa'.length * 10 + 2));
    // A second execution changes nothing.
    expect(again).toEqual({ checkpoints: [], bytes: 0 });
    expect(await store.stat('checkpoints/round-0-aa/files.json')).not.toBeNull();
    expect(await store.stat('checkpoints/round-0-aa/trained.json')).not.toBeNull();
    expect(await store.stat('checkpoints/round-0-aa/tokenizer.json')).toBeNull();
  });

  it('keeps those of every so many rounds beside them, and what is in use however old', async () => {
    expect((await drop(1, 2)).left).toEqual([
      'mystery',
      'retrain-2-aa',
      'round-0-aa',
      'round-2-aa',
      'round-3-aa',
      'round-3-bb',
      'sft-aa',
    ]);
    expect((await drop(1, null, ['round-1-aa'])).left).toEqual([
      'mystery',
      'round-1-aa',
      'round-3-aa',
      'round-3-bb',
      'sft-aa',
    ]);
  });
});
