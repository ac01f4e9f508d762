/**
 * Files that another program writes directly into the store, below a name reserved for it. In a folder they are files
 * without our metadata; in a bucket they are ordinary objects.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mapConcurrently } from '@stp/base';
import type { ObjectInfo, ObjectStore } from '@stp/config/records';
import { TRANSFERS_MAX } from './checkpoints.ts';

const isFolder = (store: ObjectStore): boolean => store.root.startsWith('file://');

/** Returns the path or URI of the store's objects for a program that opens folders and buckets itself. */
export const rootOf = (store: ObjectStore): string => (isFolder(store) ? fileURLToPath(store.root) : store.root);

/** Returns a local folder with everything below `name`: the store's own folder, or `directory` with copies. */
export async function fetchForeign(
  store: ObjectStore,
  name: string,
  directory: string,
  signal: AbortSignal,
): Promise<string> {
  if (isFolder(store)) return join(rootOf(store), name);
  await mkdir(directory, { recursive: true });
  await mapConcurrently(await objectsBelow(store, name), TRANSFERS_MAX, signal, async (object, laneSignal) => {
    const ref = await store.stat(object.name);
    const path = join(directory, object.name.slice(name.length + 1));
    if (ref !== null) await store.download(ref, path, { signal: laneSignal });
  });
  return directory;
}

/** Removes everything below `name`, if there is anything. */
export async function removeForeign(store: ObjectStore, name: string, signal: AbortSignal): Promise<void> {
  if (isFolder(store)) return rm(join(rootOf(store), name), { recursive: true, force: true });
  await mapConcurrently(await objectsBelow(store, name), TRANSFERS_MAX, signal, (object) =>
    store.remove({ uri: `${store.root}/${object.name}`, generation: object.generation }),
  );
}

/** Lists the objects below a name: some hundreds for a model of billions of weights. */
const objectsBelow = (store: ObjectStore, name: string): Promise<ObjectInfo[]> =>
  Array.fromAsync(store.list(`${name}/`));
