/**
 * Gets the Temporal CLI from Temporal's own download address, for machines without PyPI. The archive is written under a
 * temporary name; an incomplete download is detected by its length, by gzip's checksum, or because it does not run.
 */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar';
import { checkRuns, type Environment, type RunCheck } from './executable.ts';
import { installWhole } from './staging.ts';

/** Answers with a .tar.gz that holds `temporal` (docs.temporal.io, "Install the Temporal CLI"). */
const ARCHIVE_ADDRESS = 'https://temporal.download/cli/archive/latest';
/** Longest silence before the first byte or between two; then the download is given up. */
const SILENCE_MAX_MS = 10_000;
const ARCHIVE_BYTES_MAX = 500_000_000;

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Fetches and unpacks the CLI into `folder`, complete or not at all. `STP_TEMPORAL_DOWNLOAD` in the environment names
 * another address with the same archive. Returns the program's path; throws with a one-line reason.
 */
export async function installArchive(
  folder: string,
  check: RunCheck,
  environment: Environment,
  onProgress: (message: string) => void,
): Promise<string> {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`no archive for ${process.platform} ${process.arch}`);
  const address = new URL(environment.STP_TEMPORAL_DOWNLOAD ?? ARCHIVE_ADDRESS);
  address.searchParams.set('platform', process.platform);
  address.searchParams.set('arch', architecture);
  await installWhole(folder, async (temporary) => {
    const archive = join(temporary, 'archive.tar.gz');
    await download(address, archive, onProgress);
    // Writes only this file, whatever else the archive contains.
    await extract({ file: archive, cwd: temporary, strict: true, filter: (path) => path === 'temporal' });
    await rm(archive);
    await checkRuns(join(temporary, 'temporal'), check, environment);
  });
  return join(folder, 'temporal');
}

async function download(address: URL, path: string, onProgress: (message: string) => void): Promise<void> {
  const silence = new AbortController();
  const giveUp = (): void => silence.abort(new Error(`nothing came for ${SILENCE_MAX_MS / 1000} s`));
  let timer = setTimeout(giveUp, SILENCE_MAX_MS);
  try {
    const response = await fetch(address, { signal: silence.signal }).catch((error: Error) => {
      throw silence.signal.aborted ? silence.signal.reason : new Error(reasonOf(error));
    });
    if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
    const expected = Number(response.headers.get('content-length') ?? Number.NaN);
    let received = 0;
    let megabytesTold = 0;
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        clearTimeout(timer);
        timer = setTimeout(giveUp, SILENCE_MAX_MS);
        received += chunk.length;
        if (received > ARCHIVE_BYTES_MAX) return done(new Error(`more than ${ARCHIVE_BYTES_MAX} bytes came`));
        const megabytes = Math.floor(received / 1e6);
        if (megabytes >= megabytesTold + 5) {
          megabytesTold = megabytes;
          onProgress(
            `Temporal CLI: ${megabytes} MB of ${Number.isNaN(expected) ? 'unknown' : Math.ceil(expected / 1e6)} MB`,
          );
        }
        done(null, chunk);
      },
    });
    await pipeline(Readable.fromWeb(response.body as never), meter, createWriteStream(path), {
      signal: silence.signal,
    }).catch((error: Error) => {
      throw silence.signal.aborted
        ? silence.signal.reason
        : new Error(`the download was cut short: ${reasonOf(error)}`);
    });
    if (!Number.isNaN(expected) && received !== expected) {
      throw new Error(`the download was cut short: ${received} of ${expected} bytes`);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** fetch hides the network's reason (ENOTFOUND, ECONNREFUSED) in the cause. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
