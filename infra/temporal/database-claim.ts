/**
 * Allows one server per database file. A claim next to the file names the process that serves it and its owner, so that
 * a second start fails clearly instead of damaging the data, and a server whose owner was killed is ended before the
 * next one starts.
 */

import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { StpError } from '@stp/base';
import { identify, isRunning, type ProcessIdentity } from '@stp/base/files';
import { z } from 'zod';

const identitySchema = z.strictObject({ pid: z.number().int().positive(), startTicks: z.number().int().nonnegative() });
const claimSchema = z.strictObject({
  owner: identitySchema,
  /** Null until the server has been started. */
  server: identitySchema.nullable(),
  address: z.string(),
});
type Claim = z.infer<typeof claimSchema>;

export interface DatabaseClaim {
  /** Records the process that serves the database. */
  serve(pid: number, address: string): Promise<void>;
  release(): Promise<void>;
}

const ENDING_TIMEOUT_MS = 10_000;
const ENDING_POLL_MS = 20;

/** Claims the database for this process. Throws STP1101 if a living process has claimed it. */
export async function claimDatabase(dbFilename: string): Promise<DatabaseClaim> {
  const path = `${dbFilename}.server.json`;
  const owner = await identify(process.pid);
  await removeStale(path, dbFilename);
  try {
    await writeExclusive(path, { owner, server: null, address: '' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw inUse(dbFilename, await readClaim(path));
  }
  return {
    async serve(pid, address) {
      const temporary = `${path}.${randomUUID()}`;
      await writeFile(temporary, JSON.stringify({ owner, server: await identify(pid), address } satisfies Claim));
      await rename(temporary, path);
    },
    release: () => rm(path, { force: true }),
  };
}

async function removeStale(path: string, dbFilename: string): Promise<void> {
  const before = await readFile(path, 'utf8').catch(() => null);
  if (before === null) return;
  const claim = parseClaim(before);
  if (claim !== null && (await isRunning(claim.owner))) throw inUse(dbFilename, claim);
  // Renames first, so that only one of two processes that find the same stale claim continues.
  const aside = `${path}.${randomUUID()}`;
  await rename(path, aside).catch(() => {});
  const moved = await readFile(aside, 'utf8').catch(() => null);
  if (moved === null) return;
  if (moved !== before) {
    // Another process has claimed it meanwhile.
    await link(aside, path).catch(() => {});
    await rm(aside, { force: true });
    throw inUse(dbFilename, parseClaim(moved));
  }
  await rm(aside, { force: true });
  if (claim?.server != null) await endOrphan(claim.server);
}

async function endOrphan(server: ProcessIdentity): Promise<void> {
  const deadline = Date.now() + ENDING_TIMEOUT_MS;
  let signal: NodeJS.Signals = 'SIGINT';
  while (await isRunning(server)) {
    try {
      process.kill(server.pid, signal);
    } catch {
      // The server ended before the signal.
    }
    signal = Date.now() > deadline ? 'SIGKILL' : 'SIGINT';
    await new Promise((resolve) => setTimeout(resolve, ENDING_POLL_MS));
  }
}

async function writeExclusive(path: string, claim: Claim): Promise<void> {
  // Links the complete file to its name, since a half-written claim would name no process.
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, JSON.stringify(claim));
    await link(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function readClaim(path: string): Promise<Claim | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text === null ? null : parseClaim(text);
}

function parseClaim(text: string): Claim | null {
  try {
    return claimSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function inUse(dbFilename: string, claim: Claim | null): StpError {
  const by = claim === null ? 'another process' : `process ${claim.owner.pid}`;
  const where = claim === null || claim.address === '' ? '' : ` at ${claim.address}`;
  return new StpError(
    'STP1101',
    `the Temporal database ${dbFilename} is served already${where}, for ${by}`,
    'Use that server, stop that process, or give another database file.',
    { facts: { dbFilename, pid: claim?.owner.pid ?? null, address: claim?.address ?? null } },
  );
}
