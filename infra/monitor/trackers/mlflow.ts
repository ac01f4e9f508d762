/**
 * MLflow through its REST API. A run is one MLflow run, found by a tag, so every process that logs it uses the same
 * one, also after a crash. Repeated metrics count once in MLflow, since their times are the log's.
 */

import { StpError } from '@stp/base';
import { contentId } from '@stp/config/ids';
import type { TrackingLink } from '@stp/config/records';
import { z } from 'zod';
import { type Entry, keepLink, linkName, readLink, type TrackedRun, type Tracker } from './tracker.ts';

export interface MlflowSettings {
  /** MLFLOW_TRACKING_URI, without a slash at its end. */
  readonly url: string;
  readonly experiment: string;
}

/** Limits of the server's `log-batch`. */
const METRICS_PER_CALL = 1_000;
const PARAMETERS_PER_CALL = 100;
const PARAMETER_CHARS_MAX = 6_000;
const CALL_MS_MAX = 20_000;
/** Larger objects are not copied to the server; they are in the run's store. */
const OBJECT_BYTES_MAX = 64 * 1024 * 1024;
const RUN_TAG = 'stp.run';
/** Makes MLflow's pages show trainings, not conversations with a model. */
const EXPERIMENT_TAGS = [{ key: 'mlflow.experimentKind', value: 'custom_model_development' }];
/** URI scheme by which the server itself stores artifacts and accepts them over HTTP. */
const PROXIED = 'mlflow-artifacts:/';

const experimentSchema = z.looseObject({ experiment_id: z.string() });
const infoSchema = z.looseObject({ run_id: z.string(), experiment_id: z.string(), artifact_uri: z.string() });
const runSchema = z.looseObject({ run: z.looseObject({ info: infoSchema }) });
const foundSchema = z.looseObject({ runs: z.array(z.looseObject({ info: infoSchema })).default([]) });
type RunInfo = z.infer<typeof infoSchema>;

/** @param say reports what the server refuses */
export function mlflowTracker(run: TrackedRun, settings: MlflowSettings, say: (line: string) => void): Tracker {
  const server = new MlflowServer(settings.url);
  let found: Promise<RunInfo> | null = null;
  const begin = async (signal: AbortSignal): Promise<RunInfo> => {
    const info = await findOrCreate(server, run, settings, signal);
    await server.call('POST', 'runs/update', { run_id: info.run_id, status: 'RUNNING' }, z.unknown(), signal);
    const params = Object.entries(run.parameters).map(([key, value]) => ({
      key,
      value: value.slice(0, PARAMETER_CHARS_MAX),
    }));
    for (let from = 0; from < params.length; from += PARAMETERS_PER_CALL)
      await orRefused(say, () =>
        server.logBatch(info, { params: params.slice(from, from + PARAMETERS_PER_CALL) }, signal),
      );
    return info;
  };
  return {
    async send(entries, signal) {
      found ??= begin(signal);
      // After a failure everything is retried.
      const info = await found.catch((error: unknown) => {
        found = null;
        throw error;
      });
      for (const part of inCalls(entries)) {
        if (part.kind === 'metrics')
          await orRefused(say, () => server.logBatch(info, { metrics: part.metrics }, signal));
        else {
          for (const name of part.entry.end.objects)
            await orRefused(say, () => uploadObject(server, run, info, name, signal, say));
          const status = part.entry.end.status === 'finished' ? 'FINISHED' : 'FAILED';
          const end = { run_id: info.run_id, status, end_time: Date.parse(part.entry.at) };
          await server.call('POST', 'runs/update', end, z.unknown(), signal);
        }
      }
    },
    async close() {},
  };
}

/** MLflow's answer to a call that it will never accept. */
class Refused extends Error {}

class MlflowServer {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async call<T>(
    method: 'GET' | 'POST',
    path: string,
    input: Readonly<Record<string, unknown>>,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const query = method === 'GET' ? `?${new URLSearchParams(input as Record<string, string>)}` : '';
    const body = method === 'GET' ? {} : { body: JSON.stringify(input) };
    const headers = { 'content-type': 'application/json' };
    const answer = await this.#fetch(`api/2.0/mlflow/${path}${query}`, { method, headers, ...body }, signal);
    return schema.parse(JSON.parse(answer));
  }

  async logBatch(info: RunInfo, batch: object, signal: AbortSignal): Promise<void> {
    await this.call('POST', 'runs/log-batch', { run_id: info.run_id, ...batch }, z.unknown(), signal);
  }

  async upload(path: string, bytes: Buffer<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    await this.#fetch(`api/2.0/mlflow-artifacts/artifacts/${encoded}`, { method: 'PUT', body: bytes }, signal);
  }

  async #fetch(path: string, request: RequestInit, signal: AbortSignal): Promise<string> {
    const response = await fetch(`${this.url}/${path}`, {
      ...request,
      headers: { ...(request.headers as Record<string, string>), ...authorization() },
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS_MAX)]),
    }).catch((cause: Error) => {
      throw new Error(`${this.url} does not answer (${(cause.cause as Error | undefined)?.message ?? cause.message})`);
    });
    const text = await response.text();
    if (response.ok) return text;
    const problem = `${this.url} answers ${response.status}: ${text.slice(0, 300)}`;
    // An invalid call stays invalid at a retry; a wrong key or server can be corrected.
    throw response.status === 400 || response.status === 404 ? new Refused(problem) : new Error(problem);
  }
}

/** Reads the credentials from the environment, as MLflow's own client does. */
function authorization(): Record<string, string> {
  const { MLFLOW_TRACKING_TOKEN: token, MLFLOW_TRACKING_USERNAME: user } = process.env;
  if (token) return { authorization: `Bearer ${token}` };
  if (!user) return {};
  const pair = `${user}:${process.env.MLFLOW_TRACKING_PASSWORD ?? ''}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

async function orRefused(say: (line: string) => void, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(`refuses a call, which is left out: ${error.message}`);
  }
}

/**
 * Returns the run's id. It is stored in the run's store for all processes; before one is created, it is searched for by
 * its tag.
 */
async function findOrCreate(
  server: MlflowServer,
  run: TrackedRun,
  settings: MlflowSettings,
  signal: AbortSignal,
): Promise<RunInfo> {
  const name = linkName('mlflow', contentId('mlflow', server.url).slice(0, 8));
  const get = (id: string) => server.call('GET', 'runs/get', { run_id: id }, runSchema, signal);
  const kept = await readLink(run.store, name);
  if (kept?.id) return (await get(kept.id)).run.info;
  const experiment = await experimentId(server, settings.experiment, signal);
  const search = { experiment_ids: [experiment], filter: `tags."${RUN_TAG}" = '${run.id}'`, max_results: 1 };
  const tagged = await server.call('POST', 'runs/search', search, foundSchema, signal);
  const info = tagged.runs[0]?.info ?? (await createRun(server, run, experiment, signal));
  const link: TrackingLink = {
    tracker: 'mlflow',
    url: `${server.url}/#/experiments/${info.experiment_id}/runs/${info.run_id}`,
    text: `MLflow, experiment ${settings.experiment}`,
    id: info.run_id,
  };
  const { id } = await keepLink(run.store, name, link);
  if (id === info.run_id || id === null) return info;
  // Another process created one at the same time and was first.
  await server.call('POST', 'runs/delete', { run_id: info.run_id }, z.unknown(), signal);
  return (await get(id)).run.info;
}

async function createRun(
  server: MlflowServer,
  run: TrackedRun,
  experiment: string,
  signal: AbortSignal,
): Promise<RunInfo> {
  const tags = [
    { key: RUN_TAG, value: run.id },
    { key: 'stp.store', value: run.store.root },
    {
      key: 'mlflow.note.content',
      value: 'A run of stp-selfplay. At its end the report is among the artifacts: report.html.',
    },
  ];
  const input = { experiment_id: experiment, run_name: run.run, start_time: Date.now(), tags };
  return (await server.call('POST', 'runs/create', input, runSchema, signal)).run.info;
}

async function experimentId(server: MlflowServer, name: string, signal: AbortSignal): Promise<string> {
  const byName = async (): Promise<string> => {
    const schema = z.looseObject({ experiment: experimentSchema });
    const input = { experiment_name: name };
    return (await server.call('GET', 'experiments/get-by-name', input, schema, signal)).experiment.experiment_id;
  };
  try {
    return await byName();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  try {
    return (await server.call('POST', 'experiments/create', { name, tags: EXPERIMENT_TAGS }, experimentSchema, signal))
      .experiment_id;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // Another process created it meanwhile.
    return byName();
  }
}

type Call =
  | { readonly kind: 'metrics'; readonly metrics: object[] }
  | { readonly kind: 'end'; readonly entry: Extract<Entry, { kind: 'end' }> };

/** Splits the entries, in order, into calls with as many metrics as a call may have. */
function* inCalls(entries: readonly Entry[]): Generator<Call> {
  let metrics: object[] = [];
  for (const entry of entries) {
    if (entry.kind === 'metric') {
      const { name, step, value, at } = entry.metric;
      // JSON has no NaN and no infinities; the server reads these words.
      const written = Number.isFinite(value) ? value : String(value);
      metrics.push({ key: name, value: written, step, timestamp: Date.parse(at) });
    }
    if (metrics.length === METRICS_PER_CALL || (entry.kind === 'end' && metrics.length > 0)) {
      yield { kind: 'metrics', metrics };
      metrics = [];
    }
    if (entry.kind === 'end') yield { kind: 'end', entry };
  }
  if (metrics.length > 0) yield { kind: 'metrics', metrics };
}

async function uploadObject(
  server: MlflowServer,
  run: TrackedRun,
  info: RunInfo,
  name: string,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  if (!info.artifact_uri.startsWith(PROXIED)) {
    say(`keeps files in ${info.artifact_uri}, where only its own client can write: ${name} is not copied there`);
    return;
  }
  const ref = await run.store.stat(name);
  if (ref === null) return;
  if (ref.bytes > OBJECT_BYTES_MAX) {
    say(`gets no files of more than ${OBJECT_BYTES_MAX / 2 ** 20} MiB: ${name} is in the run's store`);
    return;
  }
  const bytes = await run.store.get(ref).catch((error: unknown) => {
    // Damaged or missing objects are problems of the store, which others report.
    if (error instanceof StpError && !error.retryable) throw new Refused(error.message);
    throw error;
  });
  await server.upload(`${info.artifact_uri.slice(PROXIED.length)}/${name}`, Buffer.from(bytes), signal);
}
