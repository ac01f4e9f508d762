/** An object store in memory with put-once names, whose writes may fail before or after they took effect. */
import { StpError } from '@stp/base';
import type { ArtifactRef, ObjectStore } from '@stp/config/records';
import { Crc32c } from '../../infra/stores/crc32c.ts';
import type { Random } from './random.ts';

export interface MemoryStore extends Pick<ObjectStore, 'root' | 'put' | 'get' | 'stat'> {
  readonly objects: ReadonlyMap<string, Buffer>;
}

export function memoryStore(random: Random, failures: { before: number; after: number }): MemoryStore {
  const objects = new Map<string, Buffer>();
  const root = 'file:///simulation';
  const refOf = (name: string, data: Buffer): ArtifactRef => ({
    uri: `${root}/${name}`,
    generation: '1',
    crc32c: new Crc32c().update(data).toBase64(),
    bytes: data.length,
    count: 1,
  });
  const broken = (when: string): StpError =>
    new StpError('STP1401', `the store failed ${when}`, 'Try again.', { retryable: true });
  return {
    root,
    objects,
    async put(name, data) {
      if (random.chance(failures.before)) throw broken('before writing');
      const bytes = Buffer.from(data as string);
      const there = objects.get(name);
      if (there !== undefined && !there.equals(bytes))
        throw new StpError('STP1404', `${name} is there with other content`, 'Look at who wrote it.');
      objects.set(name, bytes);
      if (random.chance(failures.after)) throw broken('after writing');
      return refOf(name, bytes);
    },
    async get(ref) {
      const data = objects.get(ref.uri.slice(root.length + 1));
      if (data === undefined) throw new StpError('STP1403', `${ref.uri} is missing`, 'Look at who removed it.');
      return data;
    },
    async stat(name) {
      const data = objects.get(name);
      return data === undefined ? null : refOf(name, data);
    },
  };
}
