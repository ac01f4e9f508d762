/** The store of a run that was copied or renamed: references still name the place and the folder in which it was written. */
import type { ArtifactRef, ObjectStore } from '@stp/config/records';

/**
 * Reads references to runs in `from` as references to the same runs in `to`. A reference to a run of another name is the
 * store's own object where that has the path and the checksum.
 *
 * @param from URI under which the run and its neighbours lay when it was written
 * @param to URI under which they lie now
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
