/**
 * Files that another program wrote directly into the store, below a name that belongs to that program alone: in a
 * folder they are files without a mark, in a bucket objects like all others.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mapConcurrently } from '@stp/base';
import type { ObjectInfo, ObjectStore } from '@stp/config/records';
import { TRANSFERS_MAX } from './checkpoints.ts';

const isFolder = (store: ObjectStore): boolean => store.root.startsWith('file://');

/** Where the store's objects are for a program that opens folders and buckets itself. */
export const placeOf = (store: ObjectStore): string => (isFolder(store) ? fileURLToPath(store.root) : store.root);

/** A folder of this machine with all below `name`: the store's own, or `directory` with copies. */
export async function fetchForeign(
  store: ObjectStore,
  name: string,
  directory: string,
  signal: AbortSignal,
): Promise<string> {
  if (isFolder(store)) return join(placeOf(store), name);
  await mkdir(directory, { recursive: true });
  await mapConcurrently(await objectsBelow(store, name), TRANSFERS_MAX, signal, async (object, laneSignal) => {
    const ref = await store.stat(object.name);
    const path = join(directory, object.name.slice(name.length + 1));
    if (ref !== null) await store.download(ref, path, { signal: laneSignal });
  });
  return directory;
}

/** Removes all below `name`; nothing there is no error. */
export async function removeForeign(store: ObjectStore, name: string, signal: AbortSignal): Promise<void> {
  if (isFolder(store)) return rm(join(placeOf(store), name), { recursive: true, force: true });
  await mapConcurrently(await objectsBelow(store, name), TRANSFERS_MAX, signal, (object) =>
    store.remove({ uri: `${store.root}/${object.name}`, generation: object.generation }),
  );
}

/** Some hundreds for a model of billions of weights. */
const objectsBelow = (store: ObjectStore, name: string): Promise<ObjectInfo[]> =>
  Array.fromAsync(store.list(`${name}/`));
