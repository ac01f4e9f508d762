/** Where a worker keeps things and what it talks to, from the environment; defaults serve a laptop. */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export const REPOSITORY = resolve(import.meta.dirname, '..');

export interface WorkerSettings {
  /** Store that holds run folders, `file:///…/runs` or `gs://bucket/prefix`. STP_STORE. */
  readonly storeUri: string;
  /** Lean, Temporal, compiled libraries, bundles, verdicts. STP_CACHE. */
  readonly cacheDirectory: string;
  /** Files of runs that may vanish. STP_SCRATCH. */
  readonly scratchDirectory: string;
}

export function workerSettings(environment: NodeJS.ProcessEnv = process.env): WorkerSettings {
  const cacheDirectory = resolve(environment.STP_CACHE ?? join(REPOSITORY, '.cache'));
  return {
    storeUri: environment.STP_STORE ?? pathToFileURL(resolve('runs')).href,
    cacheDirectory,
    scratchDirectory: resolve(environment.STP_SCRATCH ?? join(cacheDirectory, 'scratch')),
  };
}

/**
 * What a run is called on this machine, in scratch folders and on its processes: its name, and which store it lies in, so
 * that two runs of one name in different folders keep out of each other's way.
 */
export function localRunName(storeUri: string, run: string): string {
  return `${run}-${createHash('sha256').update(storeUri).digest('hex').slice(0, 8)}`;
}
