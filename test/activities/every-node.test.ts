/**
 * The work that a node does through its own queue, on real files: a checkpoint copied once, folders read, limits of a
 * command.
 */

import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckpointRef, ObjectStore } from '@stp/config/records';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyCheckpointActivity } from '../../activities/every-node/copy-checkpoint.ts';
import { nodeCommandSchema, runOnNodeActivity } from '../../activities/every-node/run-on-node.ts';
import { storeCheckpoint } from '../../activities/training/checkpoints.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { smallCheckpointFolder } from './small-checkpoint-folder.ts';

let folder: string;
let source: string;
let store: ObjectStore;
let checkpoint: CheckpointRef;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stp-node-'));
  store = await openStore(`file://${folder}/store`);
  source = await smallCheckpointFolder(join(folder, 'checkpoint'));
  checkpoint = await storeCheckpoint(store, 'checkpoints/sft', source, { signal: new AbortController().signal });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const portsOf = (node: string) => ({
  store: async () => store,
  scratch: async () => join(folder, node, 'scratch'),
  runMark: (run: string) => run,
});

it('copies a checkpoint to the disk of the node, whole, and only once', async () => {
  const { copyCheckpoint } = copyCheckpointActivity(portsOf('copying'));
  const input = { run: 'run', checkpoint };
  const copy = (): ReturnType<typeof copyCheckpoint> => new MockActivityEnvironment().run(copyCheckpoint, input);
  const { directory, bytes } = await copy();
  expect(directory.startsWith(join(folder, 'copying', 'scratch'))).toBe(true);
  const names = (await readdir(source)).sort();
  expect((await readdir(directory)).sort()).toEqual(names);
  let expected = 0;
  for (const name of names) {
    const original = await readFile(join(source, name));
    expect(await readFile(join(directory, name))).toEqual(original);
    expected += original.length;
  }
  expect(bytes).toBe(expected);
  // A file that were fetched again would be younger.
  await utimes(join(directory, names[0]!), 1, 1);
  expect(await copy()).toEqual({ node: expect.any(String), directory, bytes });
  expect((await stat(join(directory, names[0]!))).mtimeMs).toBe(1_000);
});

it('refuses a checkpoint of which a file was damaged in the store, and leaves none behind', async () => {
  const { copyCheckpoint } = copyCheckpointActivity(portsOf('damaged'));
  const damaged = await smallCheckpointFolder(join(folder, 'damaged-checkpoint'));
  const ref = await storeCheckpoint(store, 'checkpoints/damaged', damaged, { signal: new AbortController().signal });
  const path = join(folder, 'store', 'checkpoints', 'damaged', 'model.safetensors');
  const contents = await readFile(path);
  contents[5_000]! ^= 1;
  await rm(path);
  await writeFile(path, contents);
  const copying = new MockActivityEnvironment().run(copyCheckpoint, { run: 'run', checkpoint: ref });
  await expect(copying).rejects.toMatchObject({ code: expect.stringMatching(/^STP14/) });
  const left = await readdir(join(folder, 'damaged', 'scratch', 'checkpoints'));
  expect(left.filter((name) => !name.endsWith('.partial'))).toEqual([]);
});

it('takes limits of time that a timer can hold, and no longer ones', async () => {
  const { runOnNode } = runOnNodeActivity(portsOf('running'));
  const command = { run: 'run', command: ['true'], timeoutSeconds: 24 * 86_400 };
  expect(await new MockActivityEnvironment().run(runOnNode, command)).toMatchObject({ exitCode: 0, timedOut: false });
  expect(nodeCommandSchema.safeParse({ ...command, timeoutSeconds: 25 * 86_400 }).success).toBe(false);
});
