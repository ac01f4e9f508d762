/**
 * The `ObjectStore` port over a folder of this machine or a mounted one. `file-objects.ts` says how objects are stored.
 */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { ArtifactRef, ObjectStore, PutOptions } from '@stp/config/records';
import { checkedStream, checksum, collect, nameInStore, pieces } from './contents.ts';
import { downloadTo } from './download.ts';
import { listFileNames } from './file-list.ts';
import { FileObjects, writeFlushed } from './file-objects.ts';
import { checkName, checkPrefix } from './names.ts';
import { cannotRead, cannotWrite, differs } from './store-errors.ts';

const READ_BYTES = 1 << 20;

/** Opens a store in the folder, which the first write creates. Writing and reading throw STP1401 and STP1405. */
export async function openFileStore(folder: string): Promise<ObjectStore> {
  const root = pathToFileURL(folder).href.replace(/\/$/, '');
  const objects = new FileObjects(folder, root);
  await objects.sweepTemporary();

  async function write(name: string, data: string | Uint8Array | Readable, options: PutOptions): Promise<ArtifactRef> {
    const input = pieces(data, options.signal);
    const existing = await objects.inspect(name);
    if (existing !== null) {
      const offered = await checksum(input);
      if (offered.toBase64() === existing.ref.crc32c && offered.bytes === existing.ref.bytes) return existing.ref;
      throw differs(existing.ref.uri, existing.ref.crc32c, offered.toBase64());
    }
    const path = await objects.temporaryPath();
    try {
      const crc = await writeFlushed(path, input, options.onProgress);
      return await objects.publish(name, path, crc, options.count ?? 1);
    } finally {
      await rm(path, { force: true });
    }
  }

  const put: ObjectStore['put'] = async (name, data, options = {}) => {
    try {
      checkName(name);
      options.signal?.throwIfAborted();
      return await write(name, data, options);
    } catch (error) {
      throw cannotWrite(`${root}/${name}`, error);
    } finally {
      if (data instanceof Readable) data.destroy();
    }
  };

  async function openForReading(ref: ArtifactRef): Promise<FileHandle> {
    return open(objects.pathOf(nameInStore(root, ref)), 'r').catch((error) => {
      throw cannotRead(ref.uri, error);
    });
  }

  async function inspect(name: string) {
    return objects.inspect(name).catch((error) => {
      throw cannotRead(`${root}/${name}`, error);
    });
  }

  async function stream(ref: ArtifactRef): Promise<Readable> {
    const file = await openForReading(ref);
    return checkedStream(file.createReadStream({ highWaterMark: READ_BYTES }), ref);
  }

  return {
    root,
    put,
    stream,
    async putFile(name, path, options) {
      const file = await open(path, 'r').catch((error) => {
        throw cannotRead(path, error);
      });
      return put(name, file.createReadStream({ highWaterMark: READ_BYTES }), options);
    },
    async get(ref) {
      return collect(await stream(ref));
    },
    async download(ref, path, options) {
      const file = await openForReading(ref);
      try {
        const read = async (start: number) =>
          file.createReadStream({ start, highWaterMark: READ_BYTES, autoClose: false });
        await downloadTo(path, ref, read, options?.signal);
      } finally {
        await file.close();
      }
    },
    async remove({ uri, generation }) {
      return objects.remove(nameInStore(root, { uri }), generation).catch((error) => {
        throw cannotWrite(uri, error);
      });
    },
    async stat(name) {
      return (await inspect(checkName(name)))?.ref ?? null;
    },
    async *list(prefix) {
      for await (const name of listFileNames(folder, checkPrefix(prefix))) {
        const found = await inspect(name);
        if (found === null) continue;
        const { bytes, generation, crc32c } = found.ref;
        yield { name, bytes, generation, crc32c, updated: found.updated };
      }
    },
  };
}
