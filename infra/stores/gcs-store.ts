/** The `ObjectStore` port over a bucket of Google Cloud Storage. Requests: `gcs-client.ts`; writing: `gcs-put.ts`. */
import { access } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ArtifactRef, ObjectStore, PutOptions } from '@stp/config/records';
import { checkedStream, collect, nameInStore, pieces } from './contents.ts';
import { downloadTo } from './download.ts';
import { GcsClient, type GcsResource } from './gcs-client.ts';
import { gcsError, isTransient, statusOf } from './gcs-errors.ts';
import { COUNT_KEY, type PutTarget, putFile, putInput } from './gcs-put.ts';
import { checkName, checkPrefix } from './names.ts';
import { cannotRead, damaged, missing } from './store-errors.ts';

const READ_ATTEMPTS = 8;
const READ_PAUSE_MS = 250;

/**
 * Opens a store under `gs://bucket/prefix`. `endpoint` is another server with the GCS API; `http://` ones get no
 * credentials.
 */
export function openGcsStore(bucket: string, prefix: string, endpoint?: string): ObjectStore {
  const client = new GcsClient(bucket, endpoint);
  const root = prefix === '' ? `gs://${bucket}` : `gs://${bucket}/${prefix}`;
  const above = prefix === '' ? '' : `${prefix}/`;
  const uriOf = (name: string): string => `${root}/${name}`;
  const refOf = ({ name, generation, crc32c, size, metadata }: GcsResource): ArtifactRef => {
    return { uri: `gs://${bucket}/${name}`, generation, crc32c, bytes: size, count: Number(metadata[COUNT_KEY] ?? 1) };
  };

  async function put(
    name: string,
    options: PutOptions = {},
    write: (target: PutTarget) => Promise<GcsResource>,
  ): Promise<ArtifactRef> {
    try {
      checkName(name);
      options.signal?.throwIfAborted();
      return refOf(await write({ client, name: above + name, uri: uriOf(name), options }));
    } catch (error) {
      throw options.signal?.aborted ? options.signal.reason : gcsError('STP1401', uriOf(name), error);
    }
  }

  /** Yields bytes [start, end), and resumes after a dropped connection. */
  async function* read(ref: ArtifactRef, name: string, start: number, end: number): AsyncGenerator<Buffer> {
    let at = start;
    let attempt = 1;
    let source = client.media(name, ref.generation, at, end);
    try {
      while (at < end) {
        let next: IteratorResult<Buffer>;
        try {
          next = await source.next();
        } catch (error) {
          if (statusOf(error) === 416) throw damaged(ref.uri, `it has no byte ${at} of ${ref.bytes}`);
          if (!isTransient(error) || attempt === READ_ATTEMPTS) throw gcsError('STP1405', ref.uri, error);
          await sleep(READ_PAUSE_MS * 2 ** (attempt - 1));
          attempt += 1;
          source = client.media(name, ref.generation, at, end);
          continue;
        }
        if (next.done) throw damaged(ref.uri, `it ends after ${at} of ${ref.bytes} bytes`);
        at += next.value.length;
        attempt = 1;
        // Outside the inner `try`, because an error of the reader is thrown here and is no failure of the connection.
        yield next.value;
      }
    } finally {
      await source.return(undefined);
    }
  }

  async function readRange(ref: ArtifactRef, start: number, end: number): Promise<AsyncGenerator<Buffer>> {
    const name = above + nameInStore(root, ref);
    // An empty read does not show whether the object exists.
    const there = start < end || (await reading(ref.uri, client.resource(name)))?.generation === ref.generation;
    if (!there) throw missing(ref.uri);
    return read(ref, name, start, end);
  }

  async function stream(ref: ArtifactRef): Promise<Readable> {
    return checkedStream(Readable.from(await readRange(ref, 0, ref.bytes), { objectMode: false }), ref);
  }

  return {
    root,
    stream,
    async put(name, data, options) {
      const input = pieces(data, options?.signal);
      return put(name, options, (target) => putInput(target, input)).finally(() => {
        if (data instanceof Readable) data.destroy();
      });
    },
    async putFile(name, path, options) {
      await access(path).catch((error) => {
        throw cannotRead(path, error);
      });
      return put(name, options, (target) => putFile(target, path));
    },
    async get(ref) {
      return collect(await stream(ref));
    },
    async download(ref, path, options) {
      await downloadTo(path, ref, (start) => readRange(ref, start, ref.bytes), options?.signal);
    },
    async remove({ uri, generation }) {
      const name = above + nameInStore(root, { uri });
      return client.remove(name, generation).catch((error) => {
        throw gcsError('STP1401', uri, error);
      });
    },
    async stat(name) {
      const resource = await reading(uriOf(name), client.resource(above + checkName(name)));
      return resource === null ? null : refOf(resource);
    },
    async *list(wanted) {
      try {
        for await (const resource of client.list(above + checkPrefix(wanted))) {
          const { generation, crc32c, size, updated } = resource;
          yield { name: resource.name.slice(above.length), bytes: size, generation, crc32c, updated };
        }
      } catch (error) {
        throw gcsError('STP1405', uriOf(wanted), error);
      }
    },
  };
}

async function reading<T>(uri: string, request: Promise<T>): Promise<T> {
  return request.catch((error) => {
    throw gcsError('STP1405', uri, error);
  });
}
