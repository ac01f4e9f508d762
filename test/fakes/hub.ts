/** A stand-in for the Hugging Face hub: one model with its files in memory, and the requests of `huggingface_hub`. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const COMMIT = 'c0ffee'.padEnd(40, '0');

export interface FakeHub {
  readonly endpoint: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  /** Bytes that are sent in place of a file's own. */
  readonly spoilt: Map<string, Buffer>;
  /** Bytes of files that were sent. */
  readonly sentBytes: () => number;
  close(): Promise<void>;
}

const hash = (algorithm: string, content: Buffer): string => createHash(algorithm).update(content).digest('hex');
const blobId = (content: Buffer): string =>
  hash('sha1', Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]));

/** `files`: weights are in Git LFS there, all else is not. */
export async function startFakeHub(
  model: string,
  files: ReadonlyMap<string, Buffer>,
  licence: string,
): Promise<FakeHub> {
  const asked: string[] = [];
  const spoilt = new Map<string, Buffer>();
  let sentBytes = 0;
  const lfsOf = (name: string, content: Buffer) =>
    name.endsWith('.safetensors') ? { sha256: hash('sha256', content), size: content.length, pointerSize: 100 } : null;
  const entries = [...files].map(([name, content]) => ({ name, content, lfs: lfsOf(name, content) }));
  const info = () => ({
    ...{ id: model, modelId: model, sha: COMMIT, private: false, gated: false, downloads: 0, likes: 0, tags: [] },
    cardData: { license: licence },
    siblings: entries.map(({ name, content, lfs }) => ({
      ...{ rfilename: name, size: content.length, blobId: blobId(content) },
      ...(lfs !== null && { lfs }),
    })),
  });
  const tree = () =>
    entries.map(({ name, content, lfs }) => ({
      ...{ type: 'file', path: name, size: content.length, oid: blobId(content) },
      ...(lfs !== null && { lfs: { oid: lfs.sha256, size: lfs.size, pointerSize: lfs.pointerSize } }),
    }));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://hub').pathname);
    asked.push(`${request.method} ${path}`);
    const json = (status: number, value: unknown, headers = {}) => {
      const text = JSON.stringify(value);
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': `${text.length}`,
        ...headers,
      });
      response.end(text);
    };
    const [, revision] = new RegExp(`^/api/models/${model}/revision/(.+)$`).exec(path) ?? [];
    const [, , name = ''] = new RegExp(`^/${model}/resolve/(\\w+)/(.+)$`).exec(path) ?? [];
    const content = files.get(name);
    if (revision === 'main' || revision === COMMIT) return json(200, info());
    if (revision !== undefined) return json(404, {}, { 'x-error-code': 'RevisionNotFound' });
    if (path === `/api/models/${model}/tree/${COMMIT}`) return json(200, tree());
    if (content === undefined) return json(404, {}, { 'x-error-code': 'RepoNotFound' });
    const lfs = lfsOf(name, content);
    const whole = spoilt.get(name) ?? content;
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const sent = first === undefined ? whole : whole.subarray(Number(first), Number(last) + 1);
    if (request.method !== 'HEAD') sentBytes += sent.length;
    response.writeHead(first === undefined ? 200 : 206, {
      'content-length': `${sent.length}`,
      'accept-ranges': 'bytes',
      ...(first !== undefined && {
        'content-range': `bytes ${first}-${Number(first) + sent.length - 1}/${whole.length}`,
      }),
      etag: `"${lfs?.sha256 ?? blobId(content)}"`,
      'x-repo-commit': COMMIT,
    });
    response.end(request.method === 'HEAD' ? undefined : sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    spoilt,
    sentBytes: () => sentBytes,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
