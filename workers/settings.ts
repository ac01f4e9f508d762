/** Where a worker keeps things and what it talks to, from the environment; defaults serve a laptop. */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StpError } from '../data/errors.ts';
import { MODEL_PLACE, REQUESTS_IN_FLIGHT_DEFAULT, type RemoteOptions } from '../model/openai/engine.ts';

export const REPOSITORY = resolve(import.meta.dirname, '..');

export interface WorkerSettings {
  /** Store that holds run folders, `file:///…/runs` or `gs://bucket/prefix`. STP_STORE. */
  readonly storeUri: string;
  /** Lean, Temporal, compiled libraries, bundles, verdicts. STP_CACHE. */
  readonly cacheDirectory: string;
  /**
   * What `bin/stp data prepare` has made: problem sets under `problems/NAME`, searched before the repository's own, and SFT
   * sets under `SFT/NAME`. A run copies what it takes into its store at its start. STP_DATA.
   */
  readonly dataDirectory: string;
  /** Files of runs that may vanish. STP_SCRATCH. */
  readonly scratchDirectory: string;
  /**
   * OpenAI-compatible servers that sample and embed in place of the embedded engine; null without STP_GENERATOR_URL
   * (`http://host:8000/v1`, several with commas). One must serve each checkpoint that a run comes to under the hash of its
   * weights, or under STP_GENERATOR_MODEL with the hash in place of `{model}`; else the round fails and says what to serve.
   * The key is read from STP_GENERATOR_KEY when it is used, and is in no setting. STP_GENERATOR_REQUESTS: requests in
   * flight at once.
   */
  readonly modelServer: RemoteOptions | null;
  /** Binary of the community REPL, built for the Lean in use: what the driver `repl` starts. STP_LEAN_REPL. */
  readonly replProgram: string | null;
}

export function workerSettings(environment: NodeJS.ProcessEnv = process.env): WorkerSettings {
  const cacheDirectory = resolve(environment.STP_CACHE ?? join(REPOSITORY, '.cache'));
  return {
    storeUri: environment.STP_STORE ?? pathToFileURL(resolve('runs')).href,
    cacheDirectory,
    dataDirectory: resolve(environment.STP_DATA ?? join(cacheDirectory, 'data')),
    scratchDirectory: resolve(environment.STP_SCRATCH ?? join(cacheDirectory, 'scratch')),
    modelServer: modelServerSettings(environment),
    replProgram: environment.STP_LEAN_REPL ? resolve(environment.STP_LEAN_REPL) : null,
  };
}

/** Throws STP1001 where an address or a name cannot be meant. */
function modelServerSettings(environment: NodeJS.ProcessEnv): RemoteOptions | null {
  if (!environment.STP_GENERATOR_URL) return null;
  const urls = environment.STP_GENERATOR_URL.split(',').map((address) => apiRoot(address.trim()));
  const servedName = environment.STP_GENERATOR_MODEL ?? MODEL_PLACE;
  if (!servedName.includes(MODEL_PLACE))
    throw wrongSetting(
      `STP_GENERATOR_MODEL is ${servedName}, which names no checkpoint`,
      `Write ${MODEL_PLACE} where the checkpoint's hash stands, or leave it out.`,
    );
  const requests = environment.STP_GENERATOR_REQUESTS ?? String(REQUESTS_IN_FLIGHT_DEFAULT);
  if (!/^[1-9]\d{0,4}$/.test(requests))
    throw wrongSetting(`STP_GENERATOR_REQUESTS is ${requests}`, 'Write a whole number from 1 to 99999.');
  return { urls, servedName, keyVariable: 'STP_GENERATOR_KEY', requestsInFlight: Number(requests) };
}

function apiRoot(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw wrongSetting('STP_GENERATOR_URL is no address of a server', 'Write it as http://host:8000/v1.');
  if (url.username !== '' || url.password !== '')
    throw wrongSetting('STP_GENERATOR_URL holds a password', 'Put the key into STP_GENERATOR_KEY.');
  // Given a bare host, the API is where servers have it.
  return url.pathname === '/' ? new URL('/v1', url).href : url.href;
}

function wrongSetting(problem: string, advice: string): StpError {
  return new StpError('STP1001', problem, advice);
}

/**
 * What a run is called on this machine, in scratch folders and on its processes: its name, and which store it lies in, so
 * that two runs of one name in different folders keep out of each other's way.
 */
export function localRunName(storeUri: string, run: string): string {
  return `${run}-${createHash('sha256').update(storeUri).digest('hex').slice(0, 8)}`;
}
