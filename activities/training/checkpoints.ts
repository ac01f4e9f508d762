/**
 * Copies checkpoint folders into and out of the store: one object for each file, several files at once, the manifest
 * last. A node has a checked local copy. Both directions resume where a killed attempt stopped: uploads by the tokens
 * in its heartbeats, downloads by the files that it left.
 */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mapConcurrently, StpError } from '@stp/base';
import {
  type ArtifactRef,
  artifactRefSchema,
  type CheckpointRef,
  type ObjectStore,
  type UploadToken,
  uploadTokenSchema,
} from '@stp/config/records';
import { modelIn } from '@stp/language-model';
import { z } from 'zod';
import { readJson } from '../records/record-files.ts';

/** Number of files transferred at once. Each uses two chunks of 8 MiB: one in transit and one being read. */
export const TRANSFERS_MAX = 4;

const manifestSchema = z.strictObject({
  model: z.string(),
  files: z.record(z.string().regex(/^[\w.-]+$/), artifactRefSchema),
});

/** Names of the store's own files beside a checkpoint's: the list of files, and the record of the training. */
const STORE_FILES: ReadonlySet<string> = new Set(['files.json', 'trained.json']);

/** Uploads in progress by file name. A heartbeat carries them, so that the next attempt continues them. */
export type Uploads = Readonly<Record<string, UploadToken>>;

const withUploadsSchema = z.object({ uploads: z.record(z.string(), uploadTokenSchema) });

/** Reads the uploads from an earlier attempt's heartbeat; none if it has no readable ones. */
export function uploadsIn(heartbeatDetails: unknown): Uploads {
  const parsed = withUploadsSchema.safeParse(heartbeatDetails);
  return parsed.success ? parsed.data.uploads : {};
}

export interface StoreCheckpointOptions {
  readonly signal: AbortSignal;
  /** Uploads of an earlier attempt. */
  readonly uploads?: Uploads;
  /** Called with all uploads in progress whenever one begins or ends, and with the bytes sent so far. */
  readonly onProgress?: (progress: { readonly uploads: Uploads; readonly bytesStored: number }) => void;
}

/**
 * Stores a folder's files under `name/`, then their list as `name/files.json`. The folder may be in a store itself.
 * Files without a list come from a lost attempt and are replaced if their bytes differ, since a training that resumes
 * on an accelerator may give other bytes. Throws STP1404 if the list exists or appears meanwhile.
 */
export async function storeCheckpoint(
  store: ObjectStore,
  name: string,
  directory: string,
  options: StoreCheckpointOptions,
): Promise<CheckpointRef> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && !STORE_FILES.has(entry.name))
    .map(({ name }) => name)
    .sort();
  const uploads: Record<string, UploadToken> = { ...options.uploads };
  const stored: Record<string, number> = {};
  const tell = (): void => {
    const bytesStored = Object.values(stored).reduce((total, bytes) => total + bytes, 0);
    options.onProgress?.({ uploads: { ...uploads }, bytesStored });
  };
  const refs = await mapConcurrently(names, TRANSFERS_MAX, options.signal, async (file, signal) => {
    const put = () =>
      store.putFile(`${name}/${file}`, join(directory, file), {
        signal,
        upload: uploads[file],
        onUpload: (token) => {
          uploads[file] = token;
          tell();
        },
        onProgress: (bytes) => {
          stored[file] = bytes;
          tell();
        },
      });
    const ref = await put().catch(async (error: unknown) => {
      const left = isConflict(error) ? await store.stat(`${name}/${file}`) : null;
      if (left === null || (await store.stat(`${name}/files.json`)) !== null) throw error;
      await store.remove(left);
      return put();
    });
    delete uploads[file];
    stored[file] = ref.bytes;
    tell();
    return ref;
  });
  const files = Object.fromEntries(names.map((file, index) => [file, refs[index]!]));
  const model = await modelIn(directory);
  const manifest = await store.put(`${name}/files.json`, `${JSON.stringify({ model, files }, null, 2)}\n`);
  await checkStored(store, name, files, manifest);
  return { manifest, model };
}

const isConflict = (error: unknown): boolean => error instanceof StpError && error.code === 'STP1404';

/**
 * Checks the stored files: an attempt that was presumed lost may have replaced ours meanwhile, and then neither
 * attempt's count.
 */
async function checkStored(
  store: ObjectStore,
  name: string,
  files: Readonly<Record<string, ArtifactRef>>,
  manifest: ArtifactRef,
): Promise<void> {
  for (const [file, ref] of Object.entries(files)) {
    const there = await store.stat(`${name}/${file}`);
    if (there?.crc32c === ref.crc32c && there.generation === ref.generation) continue;
    await store.remove(manifest);
    const advice = 'It is stored again on the next try.';
    const problem = `${ref.uri} was replaced by another attempt at the same training`;
    throw new StpError('STP1404', problem, advice, { retryable: true, facts: { uri: ref.uri } });
  }
}

/** Copies that this process is making, by folder: sampling and training may request one at the same time. */
const underWay = new Map<string, Promise<void>>();

/**
 * Returns a local folder with the checkpoint's files, each checked. It is made once for each node and kept for the run.
 */
export async function fetchCheckpoint(
  store: ObjectStore,
  checkpoint: CheckpointRef,
  scratch: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  const directory = join(
    scratch,
    'checkpoints',
    `${checkpoint.model}-${checkpoint.manifest.crc32c.replaceAll(/[^\w]/g, '_')}`,
  );
  for (;;) {
    signal.throwIfAborted();
    if (await stat(directory).catch(() => null)) return directory;
    const others = underWay.get(directory);
    // The failure of the other copy need not affect this one.
    if (others !== undefined) await others.catch(() => undefined);
    else break;
  }
  const copying = copyCheckpoint(store, checkpoint, directory, signal);
  underWay.set(directory, copying);
  try {
    await copying;
  } finally {
    underWay.delete(directory);
  }
  return directory;
}

async function copyCheckpoint(
  store: ObjectStore,
  checkpoint: CheckpointRef,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const { files } = await readJson(store, checkpoint.manifest, manifestSchema);
  await fetchFiles(store, files, directory, signal);
}

/**
 * Fetches the files into a folder. They are collected in `directory.partial`, which is then renamed. A complete file of
 * a killed process is not fetched again, so the folder's name must identify its contents.
 */
export async function fetchFiles(
  store: ObjectStore,
  files: Readonly<Record<string, ArtifactRef>>,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const partial = `${directory}.partial`;
  await mkdir(partial, { recursive: true });
  try {
    await mapConcurrently(Object.entries(files), TRANSFERS_MAX, signal, async ([file, ref], laneSignal) => {
      const path = join(partial, file);
      const there = await stat(path).catch(() => null);
      if (there?.size !== ref.bytes) await store.download(ref, path, { signal: laneSignal });
    });
    const wanted = new Set(Object.keys(files).map((file) => file.split('/')[0]));
    for (const name of await readdir(partial))
      if (!wanted.has(name)) await rm(join(partial, name), { recursive: true, force: true });
    await rename(partial, directory);
  } catch (error) {
    // Another process was faster.
    if (!(await stat(directory).catch(() => null))) throw error;
  }
}
