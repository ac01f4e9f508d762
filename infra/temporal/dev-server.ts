/**
 * Runs the Temporal dev server of the CLI as a child process on the loopback interface, with its history in an SQLite
 * file that outlives both. It knows ports, health and how to end the server; it does not find the executable
 * (`find.ts`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { StpError } from '@stp/base';
import { RUN_MARK, readProcess } from '@stp/base/files';
import { claimDatabase, type DatabaseClaim } from './database-claim.ts';
import { waitUntilHealthy } from './health.ts';
import { choosePort, isPortFree, LOOPBACK, portHolder, portInUse } from './ports.ts';
import { SEARCH_ATTRIBUTES, type SearchAttributeType } from './search-attributes.ts';

/** Temporal's default ports. */
const USUAL_PORT = 7233;
const USUAL_UI_PORT = 8233;
const NAMESPACE = 'default';
const START_TIMEOUT_MS = 60_000; // a start takes 0.5 s; a loaded two-core machine with a cold disk takes longer
const STOP_TIMEOUT_MS = 10_000;
const START_ATTEMPTS = 3;
const LOG_LINES_KEPT = 20;
/** First line of a Go program's crash report; the stacks of all threads follow. */
const PANIC = /^(?:panic|fatal error): /;
const PANIC_LINES_KEPT = 6;
/** The server's last lines if it could not listen (EADDRINUSE, as Go's runtime words it). */
const PORT_TAKEN = /address already in use/;

/** Variables of our environment that a server process gets; it gets no secrets. */
const PASSED_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'LANG'] as const;

export interface DevServerOptions {
  readonly executable: string;
  /** SQLite file, created if missing. Without one the history ends with the server. */
  readonly dbFilename?: string;
  /** Port, which must be free (STP1102). Default: 7233, or a free port if that is taken; the UI likewise with 8233. */
  readonly port?: number;
  readonly uiPort?: number;
  /** Called with every line that the server writes. */
  readonly onLog?: (line: string) => void;
  /** Called if the server ends by itself (STP1101, with its last lines). */
  readonly onCrash?: (error: StpError) => void;
  /** Default: the attributes that our workflows set. */
  readonly searchAttributes?: Readonly<Record<string, SearchAttributeType>>;
  /** Mark of the run whose clean-up also ends this server. */
  readonly runMark?: string;
}

export interface DevServer {
  /** `127.0.0.1:7233` */
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string;
  readonly pid: number;
  /** Ends the server and resolves when its process is gone; safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the server and resolves when it answers. Throws STP1102 if a given port is taken, STP1101 if it fails to
 * start.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const dbFilename = options.dbFilename === undefined ? null : resolve(options.dbFilename);
  if (dbFilename !== null) await mkdir(dirname(dbFilename), { recursive: true });
  const claim = dbFilename === null ? null : await claimDatabase(dbFilename);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const port = await choosePort(options.port, USUAL_PORT);
      const uiPort = await choosePort(options.uiPort, USUAL_UI_PORT, [port]);
      try {
        return await startOn(port, uiPort, dbFilename, claim, options);
      } catch (error) {
        // Another process may take a port after our check and before the server's start.
        const lost = (await Promise.all([port, uiPort].map(isPortFree))).indexOf(false);
        // A process that only tested the port, as `choosePort` does, has released it already.
        if (lost === -1 && !PORT_TAKEN.test((error as Error).message)) throw error;
        const given = [options.port, options.uiPort][lost];
        if (given !== undefined) throw await portInUse(given);
        if (attempt === START_ATTEMPTS) throw error;
      }
    }
  } catch (error) {
    await claim?.release();
    throw error;
  }
}

async function startOn(
  port: number,
  uiPort: number,
  dbFilename: string | null,
  claim: DatabaseClaim | null,
  options: DevServerOptions,
): Promise<DevServer> {
  const searchAttributes = options.searchAttributes ?? SEARCH_ATTRIBUTES;
  const address = `${LOOPBACK}:${port}`;
  const server = spawn(options.executable, argumentsFor(port, uiPort, dbFilename, searchAttributes), {
    // It has its own process group: Ctrl-C in our terminal must not end it before our workers are drained.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentFor(options.runMark),
  });
  let ready = false;
  let stopping = false;
  // A stopping server reports the end of its own parts as errors, which are not passed on.
  const log = collectLog(server, (line) => {
    if (!stopping) options.onLog?.(line);
  });
  const gone = new AbortController();
  const exited = new Promise<void>((resolveExit) => {
    const end = (how: string, cause?: Error): void => {
      process.off('exit', endWithUs);
      const error = ended(options.executable, how, log, cause);
      gone.abort(error);
      void Promise.resolve(ready && !stopping ? claim?.release() : undefined).finally(() => {
        if (ready && !stopping) options.onCrash?.(error);
        resolveExit();
      });
    };
    server.once('error', (error) => {
      if (server.pid === undefined) end(error.message, error);
    });
    server.once('close', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
  const endWithUs = (): void => void server.kill('SIGKILL');
  process.once('exit', endWithUs);

  try {
    if (server.pid !== undefined) await claim?.serve(server.pid, address);
    await waitUntilHealthy({
      address,
      namespace: NAMESPACE,
      searchAttributes: Object.keys(searchAttributes),
      timeoutMs: START_TIMEOUT_MS,
      signal: gone.signal,
    });
    gone.signal.throwIfAborted();
    // The answer may come from a server that was started on this port at the same moment, while ours is about to end.
    const holder = await portHolder(port);
    if (holder !== null && (await readProcess(holder.pid))?.groupId !== server.pid) throw await portInUse(port);
    gone.signal.throwIfAborted();
    ready = true;
  } catch (error) {
    stopping = true;
    server.kill('SIGKILL');
    await exited;
    throw error instanceof StpError ? error : ended(options.executable, (error as Error).message, log, error as Error);
  }

  let stopped: Promise<void> | undefined;
  return {
    address,
    namespace: NAMESPACE,
    uiUrl: `http://${LOOPBACK}:${uiPort}`,
    pid: server.pid!,
    stop() {
      stopping = true;
      stopped ??= endServer(server, exited).then(() => claim?.release());
      return stopped;
    },
  };
}

async function endServer(server: ChildProcess, exited: Promise<void>): Promise<void> {
  server.kill('SIGINT');
  const force = setTimeout(() => server.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(force);
}

function argumentsFor(
  port: number,
  uiPort: number,
  dbFilename: string | null,
  searchAttributes: Readonly<Record<string, SearchAttributeType>>,
): string[] {
  // A write-ahead log with synchronous=normal gives 3.5 times the activities a second of SQLite's defaults. Commits
  // survive the death of the process; a power cut may lose the last ones (sqlite.org/wal.html).
  const database =
    dbFilename === null
      ? []
      : ['--db-filename', dbFilename, '--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=normal'];
  return [
    ...['server', 'start-dev', '--ip', LOOPBACK, '--port', String(port), '--ui-port', String(uiPort)],
    ...['--ui-disable-news-fetch', '--log-level', 'warn', '--disable-config-file'],
    ...database,
    ...Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
  ];
}

function environmentFor(runMark: string | undefined): NodeJS.ProcessEnv {
  const environment: Record<string, string | undefined> = {};
  for (const name of PASSED_VARIABLES) environment[name] = process.env[name];
  if (runMark !== undefined) environment[RUN_MARK] = runMark;
  return environment;
}

/**
 * Keeps the last lines of both outputs, or the first of a panic, for errors. Always reads, since a full pipe would stop
 * the server.
 */
function collectLog(server: ChildProcess, onLog: (line: string) => void): readonly string[] {
  const kept: string[] = [];
  let panicked = false;
  for (const output of [server.stdout, server.stderr]) {
    if (output === null) continue;
    createInterface({ input: output }).on('line', (line) => {
      onLog(line);
      if (!panicked && PANIC.test(line)) {
        panicked = true;
        kept.length = 0;
      }
      if (panicked && kept.length === PANIC_LINES_KEPT) return;
      kept.push(line);
      if (kept.length > LOG_LINES_KEPT) kept.shift();
    });
  }
  return kept;
}

function ended(executable: string, how: string, log: readonly string[], cause?: Error): StpError {
  const lines = log.length === 0 ? '' : `; it said:\n${log.map((line) => `  ${line}`).join('\n')}`;
  return new StpError(
    'STP1101',
    `the Temporal server (${executable}) is not running: ${how}${lines}`,
    'Start it again on the same database: finished work is in its history. If it fails at once, read the lines above.',
    { facts: { executable, how }, retryable: true, cause },
  );
}
