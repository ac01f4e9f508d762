/** A worker's folders and servers, read from the environment; the defaults suit a laptop. */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StpError } from '@stp/base';
import { MODEL_PLACEHOLDER } from '@stp/config';
import type { RemoteOptions } from '@stp/language-model';
import type { RemotePoolOptions } from '@stp/lean-verifier';
import { type TrackerSettings, trackerSettings } from '../infra/monitor/trackers/settings.ts';

export const REPOSITORY = resolve(import.meta.dirname, '..');
/** The repository's data folder. */
export const DATA = join(REPOSITORY, 'data');

export type LeanServersSettings = Pick<RemotePoolOptions, 'urls' | 'keyVariable' | 'requestsPerServer'>;

export interface WorkerSettings {
  /** Store of run folders, `file:///…/runs` or `gs://bucket/prefix`. STP_STORE. */
  readonly storeUri: string;
  /** Folder for Lean, Temporal, compiled libraries, bundles and verdicts. STP_CACHE. */
  readonly cacheDirectory: string;
  /**
   * Folder of `bin/stp data prepare`: problem sets under `problems/NAME`, which take precedence over the repository's,
   * and SFT sets under `SFT/NAME`. A run copies the data it uses into its store at its start. STP_DATA.
   */
  readonly dataDirectory: string;
  /** Folder for files of runs that may vanish. STP_SCRATCH. */
  readonly scratchDirectory: string;
  /**
   * OpenAI-compatible servers that sample and embed in place of the embedded engine; null without STP_GENERATOR_URL
   * (`http://host:8000/v1`, several with commas). One of them must serve each checkpoint of a run under the hash of its
   * weights, or under STP_GENERATOR_MODEL with the hash in place of `{model}`; else the round fails and says what to serve.
   * The key is read from STP_GENERATOR_KEY when it is used, and is in no setting. STP_GENERATOR_REQUESTS: requests in
   * flight at once, to each server. STP_GENERATOR_SAMPLES: samples of one prompt in one request.
   */
  readonly modelServer: RemoteOptions | null;
  /**
   * Lean servers that check in place of processes of this machine; null without STP_LEAN_URL (`http://host:8000`, several
   * with commas). The key is read from STP_LEAN_KEY when it is used, and is in no setting. STP_LEAN_REQUESTS: requests at
   * once to a server that does not say how many processes it has.
   */
  readonly leanServers: LeanServersSettings | null;
  /** Folder of a built Lake project, such as Mathlib, whose modules statements may import. STP_LEAN_PROJECT. */
  readonly leanProject: string | null;
  /**
   * Address `host:port` at which the worker's metrics are served for Prometheus under `/metrics`; null: not served.
   * STP_METRICS_ADDRESS.
   */
  readonly metricsAddress: string | null;
  /** Settings of trackers, such as MLFLOW_TRACKING_URI (docs/tracking.md). */
  readonly trackers: TrackerSettings;
}

/** Throws STP1001 for invalid values. */
export function workerSettings(environment: NodeJS.ProcessEnv = process.env): WorkerSettings {
  const cacheDirectory = resolve(environment.STP_CACHE ?? join(REPOSITORY, '.cache'));
  return {
    storeUri: environment.STP_STORE ?? pathToFileURL(resolve('runs')).href,
    cacheDirectory,
    dataDirectory: resolve(environment.STP_DATA ?? join(cacheDirectory, 'data')),
    scratchDirectory: resolve(environment.STP_SCRATCH ?? join(cacheDirectory, 'scratch')),
    modelServer: modelServerSettings(environment),
    leanServers: leanServersSettings(environment),
    leanProject: environment.STP_LEAN_PROJECT ? resolve(environment.STP_LEAN_PROJECT) : null,
    metricsAddress: metricsSetting(environment.STP_METRICS_ADDRESS),
    trackers: trackerSettings(environment, cacheDirectory),
  };
}

/** Throws STP1001 for an invalid address. Temporal's runtime needs a numeric address and port, no names. */
function metricsSetting(address: string | undefined): string | null {
  if (!address) return null;
  const [, host = '', port = ''] = /^(.*):(\d{1,5})$/.exec(address) ?? [];
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0 && Number(port) >= 1 && Number(port) <= 65_535) return address;
  throw wrongSetting(`STP_METRICS_ADDRESS is ${address}`, 'Write an address and a port, such as 127.0.0.1:9464.');
}

/** Throws STP1001 for an invalid address or name. */
function modelServerSettings(environment: NodeJS.ProcessEnv): RemoteOptions | null {
  if (!environment.STP_GENERATOR_URL) return null;
  const urls = environment.STP_GENERATOR_URL.split(',').map((address) => apiRoot(address.trim()));
  const servedName = environment.STP_GENERATOR_MODEL ?? MODEL_PLACEHOLDER;
  if (!servedName.includes(MODEL_PLACEHOLDER))
    throw wrongSetting(
      `STP_GENERATOR_MODEL is ${servedName}, which names no checkpoint`,
      `Write ${MODEL_PLACEHOLDER} where the checkpoint's hash stands, or leave it out.`,
    );
  const requestsInFlight = requestsSetting(environment, 'STP_GENERATOR_REQUESTS');
  const samplesPerRequest = requestsSetting(environment, 'STP_GENERATOR_SAMPLES');
  return {
    urls,
    servedName,
    keyVariable: 'STP_GENERATOR_KEY',
    ...(requestsInFlight === null ? {} : { requestsInFlight }),
    ...(samplesPerRequest === null ? {} : { samplesPerRequest }),
  };
}

function apiRoot(address: string): string {
  const url = serverAddress(address, 'STP_GENERATOR', 'http://host:8000/v1');
  // An address without a path gets `/v1`, the usual path of the API.
  return url.pathname === '/' ? new URL('/v1', url).href : url.href;
}

/** Throws STP1001 for an invalid address or number. */
function leanServersSettings(environment: NodeJS.ProcessEnv): LeanServersSettings | null {
  if (!environment.STP_LEAN_URL) return null;
  const urls = environment.STP_LEAN_URL.split(',').map((address) =>
    serverAddress(address.trim(), 'STP_LEAN', 'http://host:8000').href.replace(/\/+$/, ''),
  );
  const requestsPerServer = requestsSetting(environment, 'STP_LEAN_REQUESTS');
  return { urls, keyVariable: 'STP_LEAN_KEY', ...(requestsPerServer === null ? {} : { requestsPerServer }) };
}

function serverAddress(address: string, variables: string, example: string): URL {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw wrongSetting(`${variables}_URL is no address of a server`, `Write it as ${example}.`);
  if (url.username !== '' || url.password !== '')
    throw wrongSetting(`${variables}_URL holds a password`, `Put the key into ${variables}_KEY.`);
  return url;
}

/** Null if it is not set. */
function requestsSetting(environment: NodeJS.ProcessEnv, variable: string): number | null {
  const requests = environment[variable];
  if (requests === undefined) return null;
  if (/^[1-9]\d{0,4}$/.test(requests)) return Number(requests);
  throw wrongSetting(`${variable} is ${requests}`, 'Write a whole number from 1 to 99999.');
}

function wrongSetting(problem: string, advice: string): StpError {
  return new StpError('STP1001', problem, advice);
}

/**
 * Returns the name of a run on this machine, in scratch folders and on its processes. It contains the run's name and
 * identifies its store, so runs of one name in different stores do not collide.
 */
export function localRunName(storeUri: string, run: string): string {
  return `${run}-${createHash('sha256').update(storeUri).digest('hex').slice(0, 8)}`;
}

/** Returns the run with this local name; null if it is in another store. */
export function ownRunName(storeUri: string, localName: string): string | null {
  const ending = localRunName(storeUri, '');
  return localName.endsWith(ending) ? localName.slice(0, -ending.length) : null;
}
