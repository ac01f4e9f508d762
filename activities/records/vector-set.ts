/**
 * The vector files of a store as one sequence, copied to this machine. Any range can be read; the whole is never in
 * memory.
 */
import { join } from 'node:path';
import { StpError } from '@stp/base';
import type { ArtifactRef, ObjectStore } from '@stp/config/records';
import { VectorFile } from './vector-files.ts';

export interface VectorSet {
  readonly count: number;
  /** Dimensions of every vector. */
  readonly length: number;
  /** Reads vectors [start, start + count) to the beginning of `target`. */
  read(start: number, count: number, target: Float32Array): Promise<void>;
  close(): Promise<void>;
}

/** Opens at least one file, in order. Throws STP1402 if they differ in dimensions. */
export async function openVectorSet(
  store: ObjectStore,
  refs: readonly ArtifactRef[],
  directory: string,
): Promise<VectorSet> {
  const files: VectorFile[] = [];
  const close = async (): Promise<void> => {
    for (const file of files) await file.close();
  };
  try {
    for (const ref of refs) {
      const path = join(directory, `${ref.crc32c.replaceAll(/\W/g, '_')}-${files.length}-${refs.length}.vectors`);
      await store.download(ref, path);
      files.push(await VectorFile.open(path, ref.uri));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const length = files[0]!.length;
  const other = files.findIndex((file) => file.length !== length);
  if (other >= 0) {
    await close();
    const { uri } = refs[other]!;
    throw new StpError('STP1402', `${uri} has ${files[other]!.length} dimensions, not ${length}`, 'Retry the round.');
  }
  return {
    count: files.reduce((sum, file) => sum + file.count, 0),
    length,
    async read(start, count, target) {
      let before = 0;
      let done = 0;
      for (const file of files) {
        const from = Math.max(0, start + done - before);
        const part = Math.min(file.count - from, count - done);
        if (part > 0) await file.read(from, part, target, done);
        done += Math.max(0, part);
        before += file.count;
      }
    },
    close,
  };
}
