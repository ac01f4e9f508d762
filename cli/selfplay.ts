/** `stp selfplay`: the whole loop on this machine, from nothing to a report. */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Client, Connection, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { summaryRows } from '../activities/report/summary.ts';
import { requireSameConfig } from '../data/config/resolve.ts';
import { StpError } from '../data/errors.ts';
import { type Summary, summarySchema } from '../data/schemas/round.ts';
import { runConfigSchema, type StartInput } from '../data/schemas/run-config.ts';
import { startDevServer } from '../infra/temporal/dev-server.ts';
import { leanEnvironment } from '../workers/assemble.ts';
import { workerSettings } from '../workers/settings.ts';
import { CONTROL_QUEUE, SELFPLAY_TYPE, selfplayWorkflowId } from '../workflows/contracts.ts';
import { freshRunName, type RunOptions, runSummary, startInput } from './options.ts';
import { ProgressView, takeSnapshot } from './progress-view.ts';
import { temporalExecutable } from './temporal.ts';
import { superviseWorker } from './worker-process.ts';

export interface SelfplayOptions extends RunOptions {
  readonly runDir?: string;
  readonly port?: number;
  readonly uiPort?: number;
  readonly stay?: boolean;
  readonly json?: boolean;
}

const POLL_EVERY_MS = 1_000;
/** Why the run stops when a person asked for it (Ctrl-C). */
const INTERRUPTED = new Error('interrupted');
/** As shells report a program that SIGINT ended. */
const EXIT_INTERRUPTED = 130;

export async function selfplay(options: SelfplayOptions): Promise<void> {
  const { input, config } = startInput(options);
  const runDirectory = resolve(options.runDir ?? join('runs', freshRunName(input.preset)));
  const run = basename(runDirectory);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(run))
    throw new StpError(
      'STP1002',
      `"${run}" cannot name a run`,
      'End --run-dir in up to 64 letters, digits, dots and dashes.',
    );
  const out = options.json ? process.stderr : process.stdout;
  const view = new ProgressView(out);
  const say = (line: string): void => view.say(line);

  await makeFolder(runDirectory).catch((cause: NodeJS.ErrnoException) => {
    throw new StpError(
      'STP1401',
      `the run folder ${runDirectory} cannot be made: ${cause.message}`,
      'Name a folder you may write to with --run-dir.',
      { cause },
    );
  });
  const configPath = join(runDirectory, 'config.json');
  if (existsSync(configPath))
    requireSameConfig(run, runConfigSchema.parse(JSON.parse(await readFile(configPath, 'utf8'))), config);
  const settings = { ...workerSettings(), storeUri: pathToFileURL(dirname(runDirectory)).href };
  const temporal = await temporalExecutable(settings, say);
  say(`Temporal ${temporal.version} (${temporal.source})`);
  const lean = await leanEnvironment(settings, say);
  say(lean.version);

  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort(INTERRUPTED));
  const server = await startDevServer({
    executable: temporal.executable,
    dbFilename: join(runDirectory, 'temporal', 'history.db'),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.uiPort === undefined ? {} : { uiPort: options.uiPort }),
    onCrash: (error) => stopping.abort(error),
  });
  const workflowId = selfplayWorkflowId(run);
  say(`Temporal UI: ${server.uiUrl}/namespaces/default/workflows/${encodeURIComponent(workflowId)}`);
  const worker = superviseWorker(
    { TEMPORAL_ADDRESS: server.address, STP_STORE: settings.storeUri, STP_CACHE: settings.cacheDirectory },
    join(runDirectory, 'worker.log'),
    say,
    (error) => stopping.abort(error),
  );
  let connection: Connection | null = null;
  const stop = async (): Promise<void> => {
    view.end();
    await connection?.close();
    await worker.stop();
    await server.stop();
  };

  try {
    connection = await Connection.connect({ address: server.address });
    const client = new Client({ connection });
    await Promise.race([worker.ready, aborted(stopping.signal)]);
    await startOrTakeUp(client, workflowId, input, say);
    await watch(connection, workflowId, view, stopping.signal);
    const summary = summarySchema.parse(JSON.parse(await readFile(join(runDirectory, 'summary.json'), 'utf8')));
    view.end();
    if (options.json) process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
    out.write(
      `${table(summary)}\n\nReport: ${join(runDirectory, 'report.html')}\nProofs: ${join(runDirectory, 'proofs.lean')}\n`,
    );
    if (options.stay) {
      out.write(`Temporal UI stays at ${server.uiUrl}; Ctrl-C ends it.\n`);
      await aborted(stopping.signal).catch(() => undefined);
    }
  } catch (error) {
    view.end();
    if (stopping.signal.aborted)
      out.write(`Stopped. The same command with --run-dir ${runDirectory} goes on from here.\n`);
    if (stopping.signal.reason !== INTERRUPTED)
      throw stopping.signal.aborted ? stopping.signal.reason : failureOf(error);
    process.exitCode = EXIT_INTERRUPTED;
  } finally {
    await stop();
  }
}

/** Folder by folder: Node's own recursive call never returns where the system denies that a parent exists (/proc). */
async function makeFolder(path: string): Promise<void> {
  if (existsSync(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path);
}

/** Starts the run, or takes up the one of this name that the server's history holds. */
async function startOrTakeUp(
  client: Client,
  workflowId: string,
  input: StartInput,
  say: (line: string) => void,
): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  const known = await handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  });
  if (known?.status.name === 'RUNNING') {
    say('taking up the run where it was left');
    return;
  }
  if (known?.status.name === 'COMPLETED') {
    say('this run is finished already');
    return;
  }
  await client.workflow.start(SELFPLAY_TYPE, {
    workflowId,
    taskQueue: CONTROL_QUEUE,
    args: [input],
    staticSummary: runSummary(input),
  });
}

async function watch(
  connection: Connection,
  workflowId: string,
  view: ProgressView,
  signal: AbortSignal,
): Promise<void> {
  const client = new Client({ connection });
  const stopped = aborted(signal);
  stopped.catch(() => undefined);
  // The server is asked for the result in long calls; they must end before the connection does.
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
  let cause: Error | undefined = error;
  while (cause?.cause instanceof Error) cause = cause.cause;
  return new StpError(
    'STP1601',
    `the run failed: ${cause?.message ?? error.message}`,
    'The Temporal UI shows where; the same command with --run-dir starts it again.',
  );
}

export function table(summary: Summary): string {
  const rows = summaryRows(summary);
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
}
