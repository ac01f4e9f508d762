/** The store of a copied or renamed run, whose references still have the URIs under which it was written. */
import type { ArtifactRef, ObjectStore } from '@stp/config/records';

/**
 * Reads references to runs in `from` as references to the same runs in `to`. If the store has an object with the same
 * path below the run and the same checksum, that object is read instead, so a renamed run finds its own objects.
 *
 * @param from parent URI of the run and its neighbours when it was written
 * @param to their present parent URI
 */
export function withMoved(store: ObjectStore, from: string, to: string): ObjectStore {
  const here = async (ref: ArtifactRef): Promise<ArtifactRef> => {
    if (ref.uri.startsWith(`${store.root}/`) || !ref.uri.startsWith(`${from}/`)) return ref;
    const path = ref.uri.slice(from.length + 1);
    const own = await store.stat(path.slice(path.indexOf('/') + 1));
    return own?.crc32c === ref.crc32c ? own : { ...ref, uri: `${to}/${path}` };
  };
  return {
    ...store,
    get: async (ref) => store.get(await here(ref)),
    stream: async (ref) => store.stream(await here(ref)),
    download: async (ref, path) => store.download(await here(ref), path),
  };
}
