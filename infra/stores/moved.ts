/** A store whose objects were copied from another place: references still name the place where they were written. */
import type { ArtifactRef, ObjectStore } from '@stp/config/records';

/** The store, with references that begin with the URI `from` read as if they began with `to`. Checksums hold as ever. */
export function withMoved(store: ObjectStore, from: string, to: string): ObjectStore {
  const here = (ref: ArtifactRef): ArtifactRef =>
    ref.uri.startsWith(`${from}/`) ? { ...ref, uri: `${to}${ref.uri.slice(from.length)}` } : ref;
  return {
    ...store,
    get: (ref) => store.get(here(ref)),
    stream: (ref) => store.stream(here(ref)),
    download: (ref, path) => store.download(here(ref), path),
  };
}
