/**
 * A run's store that can also read objects of other runs under the same URI: a run that starts from another one refers
 * to its objects and copies none. Names, and everything that is written, belong to the run itself.
 */
import { StpError } from '@stp/base';
import type { ArtifactRef, ObjectStore } from '@stp/config/records';
import { openStore } from './open-store.ts';

/**
 * @param folder parent URI of all runs, `file:///…/runs`; a reference to anything outside it throws STP1403
 * @param open opens another store
 */
export function withNeighbours(own: ObjectStore, folder: string, open: typeof openStore = openStore): ObjectStore {
  const root = folder.replace(/\/+$/, '');
  const opened = new Map<string, Promise<ObjectStore>>();
  const storeOf = async (ref: ArtifactRef): Promise<ObjectStore> => {
    if (ref.uri.startsWith(`${own.root}/`)) return own;
    const run = ref.uri.startsWith(`${root}/`) ? ref.uri.slice(root.length + 1).split('/')[0] : undefined;
    if (run === undefined || run === '' || run === '..')
      throw new StpError(
        'STP1403',
        `${ref.uri} lies outside ${root}`,
        'A run can start from another run only if both are in the same store. If that run was moved, move it back, or make a symbolic link from its old folder.',
        { facts: { uri: ref.uri, folder: root } },
      );
    const known = opened.get(run);
    if (known) return known;
    const opening = open(`${root}/${run}`);
    opened.set(run, opening);
    opening.catch(() => opened.delete(run));
    return opening;
  };
  return {
    root: own.root,
    put: (...words) => own.put(...words),
    putFile: (...words) => own.putFile(...words),
    get: async (ref) => (await storeOf(ref)).get(ref),
    stream: async (ref) => (await storeOf(ref)).stream(ref),
    download: async (ref, ...words) => (await storeOf(ref)).download(ref, ...words),
    remove: (ref) => own.remove(ref),
    stat: (name) => own.stat(name),
    list: (prefix) => own.list(prefix),
  };
}
