/** A store whose objects were copied from another place: references still name the place where they were written. */
import type { ArtifactRef, ObjectStore } from '@stp/config/records';

export interface Move {
  /** URI under which objects were written, no slash at its end. */
  readonly from: string;
  /** URI under which they lie now. */
  readonly to: string;
}

/** The store, with references read by the first move whose `from` they begin with. Checksums hold as ever. */
export function withMoved(store: ObjectStore, moves: readonly Move[]): ObjectStore {
  const here = (ref: ArtifactRef): ArtifactRef => {
    const move = moves.find(({ from }) => ref.uri.startsWith(`${from}/`));
    return move === undefined ? ref : { ...ref, uri: `${move.to}${ref.uri.slice(move.from.length)}` };
  };
  return {
    ...store,
    get: (ref) => store.get(here(ref)),
    stream: (ref) => store.stream(here(ref)),
    download: (ref, path) => store.download(here(ref), path),
  };
}
