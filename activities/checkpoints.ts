/** Checkpoint folders in and out of the store: one object a file, the manifest last; on a node, a checked local copy. */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { artifactRefSchema, type CheckpointRef } from '../data/schemas/artifact.ts';
import type { ObjectStore } from '../infra/stores/object-store.ts';
import { readManifest } from '../model/checkpoint/checkpoint.ts';
import { readJson } from './record-files.ts';

const manifestSchema = z.strictObject({
  model: z.string(),
  files: z.record(z.string().regex(/^[\w.-]+$/), artifactRefSchema),
});

/** What a checkpoint's folder in a store holds beside the checkpoint: the list below, and how a training ended. */
const STORE_FILES: ReadonlySet<string> = new Set(['files.json', 'trained.json']);

/** Puts a folder's files under `name/`, then `name/files.json`, their list. The folder may be one in a store itself. */
export async function storeCheckpoint(
  store: ObjectStore,
  name: string,
  directory: string,
  signal: AbortSignal,
): Promise<CheckpointRef> {
  const files: Record<string, z.infer<typeof artifactRefSchema>> = {};
  for (const file of (await readdir(directory)).filter((name) => !STORE_FILES.has(name)).sort())
    files[file] = await store.putFile(`${name}/${file}`, join(directory, file), { signal });
  const { model } = await readManifest(directory);
  const manifest = await store.put(`${name}/files.json`, `${JSON.stringify({ model, files }, null, 2)}\n`);
  return { manifest, model };
}

/** A local folder with the checkpoint's files, each checked; made once a node and kept for the run. */
export async function fetchCheckpoint(store: ObjectStore, checkpoint: CheckpointRef, scratch: string): Promise<string> {
  const directory = join(
    scratch,
    'checkpoints',
    `${checkpoint.model}-${checkpoint.manifest.crc32c.replaceAll(/[^\w]/g, '_')}`,
  );
  if (await stat(directory).catch(() => null)) return directory;
  const manifest = await readJson(store, checkpoint.manifest, manifestSchema);
  const partial = `${directory}.${process.pid}.${Date.now()}.partial`;
  await mkdir(partial, { recursive: true });
  try {
    for (const [file, ref] of Object.entries(manifest.files)) await store.download(ref, join(partial, file));
    await rename(partial, directory).catch(async (error: unknown) => {
      if (!(await stat(directory).catch(() => null))) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return directory;
}
