/**
 * Runs a workflow on this machine: installs Lean and Temporal if needed, starts server and worker, and watches the
 * workflow to its end.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { StpError } from '@stp/base';
import { isRunName, type RunConfig, requireSameConfig, runConfigSchema } from '@stp/config';
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { shellWord } from '../../infra/nodes/ssh.ts';
import { startDevServer } from '../../infra/temporal/dev-server.ts';
import { requireWritable } from '../../infra/unwritable.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { requireFollowable } from '../../workers/followable.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { rootMessage } from '../../workflows/control/causes.ts';
import { CONTROL_QUEUE } from '../../workflows/control/contracts.ts';
import { makeFolder } from '../shared/make-folder.ts';
import { type ProgressView, takeSnapshot } from './progress-view.ts';
import { temporalExecutable } from './temporal.ts';
import { superviseWorker } from './worker-process.ts';

const POLL_EVERY_MS = 1_000;
/** Maximum wait between retries of a server call, ms; a stop waits for the next retry. */
const RETRY_MS_MAX = 1_000;
/** The reason for stopping after Ctrl-C. */
const INTERRUPTED = new Error('interrupted');
/** The shell's exit code for a program ended by SIGINT. */
const EXIT_INTERRUPTED = 130;

export interface LocalRunOptions {
  readonly port?: number;
  readonly uiPort?: number;
}

export interface LocalRun {
  readonly directory: string;
  readonly view: ProgressView;
  readonly workflow: { readonly type: string; readonly id: string; readonly input: unknown; readonly summary: string };
}

/** A running server and worker. */
export interface Running {
  readonly uiUrl: string;
  /** Rejects at Ctrl-C, and if server or worker are lost permanently. */
  readonly stopped: Promise<never>;
}

/** Returns the run's folder, created if missing, and its name. Throws STP1002 if its run has another configuration. */
export async function openRunFolder(path: string, config: RunConfig): Promise<{ directory: string; run: string }> {
  const directory = resolve(path);
  const run = basename(directory);
  if (!isRunName(run))
    throw new StpError(
      'STP1002',
      `"${run}" cannot name a run`,
      'End --run-dir in up to 64 letters, digits, dots and dashes.',
    );
  await makeFolder(directory).catch((cause: NodeJS.ErrnoException) => {
    throw new StpError(
      'STP1401',
      `the run folder ${directory} cannot be made: ${cause.message}`,
      'Name a folder you may write to with --run-dir.',
      { cause },
    );
  });
  const configPath = join(directory, 'config.json');
  if (existsSync(configPath))
    requireSameConfig(run, runConfigSchema.parse(JSON.parse(await readFile(configPath, 'utf8'))), config);
  return { directory, run };
}

/**
 * Starts the workflow, or continues the one in the folder's history, and shows its progress until it is done; then
 * calls `onDone`. Server and worker are ended in every case. Ctrl-C gives exit code 130 without an exception.
 */
export async function runLocally(
  { directory, view, workflow }: LocalRun,
  options: LocalRunOptions,
  onDone: (running: Running) => Promise<void>,
): Promise<void> {
  const say = (line: string): void => view.say(line);
  const settings = { ...workerSettings(), storeUri: pathToFileURL(dirname(directory)).href };
  await requireWritable(settings.scratchDirectory);
  const temporal = await temporalExecutable(settings, say);
  say(`Temporal ${temporal.version} (${temporal.source})`);
  const lean = await leanEnvironment(settings, say);
  say(lean.version);

  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort(INTERRUPTED));
  const dbFilename = join(directory, 'temporal', 'history.db');
  const server = await startDevServer({
    executable: temporal.executable,
    dbFilename,
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.uiPort === undefined ? {} : { uiPort: options.uiPort }),
    onCrash: (error) => stopping.abort(error),
  }).catch((error: unknown) => {
    throw error instanceof StpError && error.facts.dbFilename === dbFilename ? runsAlready(directory, error) : error;
  });
  say(`Temporal UI: ${server.uiUrl}/namespaces/default/workflows/${encodeURIComponent(workflow.id)}`);
  let connection: Connection | null = null;
  let worker: ReturnType<typeof superviseWorker> | null = null;
  try {
    connection = await connectUntil(server.address, stopping.signal);
    const client = new Client({ connection });
    const status = await statusOf(client, workflow.id);
    // Replays the history before a worker of this version touches the run. The replay's log is not shown.
    if (status === 'RUNNING') {
      Runtime.install({ logger: new DefaultLogger('WARN') });
      await requireFollowable(client, workflow.id, await workflowBundle(settings.cacheDirectory));
    }
    worker = superviseWorker(
      { TEMPORAL_ADDRESS: server.address, STP_STORE: settings.storeUri, STP_CACHE: settings.cacheDirectory },
      join(directory, 'worker.log'),
      say,
      (error) => stopping.abort(error),
    );
    const stopped = aborted(stopping.signal);
    stopped.catch(() => undefined);
    await Promise.race([worker.ready, stopped]);
    await startOrTakeUp(client, status, workflow, say);
    await watch(connection, workflow.id, view, stopped);
    view.end();
    await onDone({ uiUrl: server.uiUrl, stopped });
  } catch (error) {
    if (stopping.signal.aborted)
      say(`Stopped. The same command with --run-dir ${shellWord(directory)} continues the run.`);
    if (stopping.signal.reason !== INTERRUPTED)
      throw stopping.signal.aborted ? stopping.signal.reason : failureOf(error);
    process.exitCode = EXIT_INTERRUPTED;
  } finally {
    view.end();
    await connection?.close();
    await worker?.stop();
    await server.stop();
  }
}

/** Returns the error for a run folder whose history another process serves. */
function runsAlready(directory: string, cause: StpError): StpError {
  const { pid } = cause.facts;
  return new StpError(
    'STP1002',
    `run ${basename(directory)} is running already, in ${pid === null ? 'another process' : `process ${pid}`}`,
    'Wait for its end, stop that process, or name another folder with --run-dir.',
    { cause },
  );
}

/**
 * Connects with retries of failed calls until the signal. A retry that is pending when the connection is closed throws
 * an uncatchable error, so callers wait for their calls before they close it.
 */
function connectUntil(address: string, signal: AbortSignal): Promise<Connection> {
  const usual = defaultGrpcRetryOptions({ maxIntervalMs: () => RETRY_MS_MAX });
  const retryableDecider: typeof usual.retryableDecider = (attempt, status) =>
    !signal.aborted && usual.retryableDecider(attempt, status);
  return Connection.connect({ address, interceptors: [makeGrpcRetryInterceptor({ ...usual, retryableDecider })] });
}

/** Returns the workflow's status; null if it does not exist. */
async function statusOf(client: Client, workflowId: string): Promise<string | null> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

async function startOrTakeUp(
  client: Client,
  status: string | null,
  { type, id, input, summary }: LocalRun['workflow'],
  say: (line: string) => void,
): Promise<void> {
  if (status === 'RUNNING') {
    say('taking up the run where it was left');
    return;
  }
  if (status === 'COMPLETED') {
    say('this run is finished already');
    return;
  }
  await client.workflow.start(type, {
    workflowId: id,
    taskQueue: CONTROL_QUEUE,
    args: [input],
    staticSummary: summary,
  });
}

async function watch(
  connection: Connection,
  workflowId: string,
  view: ProgressView,
  stopped: Promise<never>,
): Promise<void> {
  const client = new Client({ connection });
  // The result is requested by long polls, which must end before the connection does.
  const asking = new AbortController();
  const finished = connection.withAbortSignal(asking.signal, () => client.workflow.getHandle(workflowId).result());
  finished.catch(() => undefined);
  try {
    for (;;) {
      const turn = await Promise.race([finished.then(() => 'finished'), sleep(POLL_EVERY_MS, 'poll'), stopped]);
      if (turn === 'finished') return;
      const snapshot = await takeSnapshot(client, workflowId);
      if (snapshot) view.show(snapshot, Date.now());
    }
  } finally {
    asking.abort();
    await finished.catch(() => undefined);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof WorkflowFailedError)) return error;
  return new StpError(
    'STP1104',
    rootMessage(error),
    'The Temporal UI shows where; the same command with --run-dir starts it again.',
  );
}
