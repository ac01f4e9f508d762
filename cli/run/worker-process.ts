/** Runs the laptop's worker as a separate process with a log file, and restarts it when it dies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StpError } from '@stp/base';
import { REPOSITORY } from '../../workers/settings.ts';
import { READY_LINE } from '../../workers/start.ts';

/** Maximum failed starts before the worker was ever ready. Further tries would not help. */
const FAILED_STARTS_MAX = 2;
const RESTART_DELAY_MS = 1_000;
const STOP_TIMEOUT_MS = 15_000;

export interface WorkerProcess {
  /** Resolves when the worker polls; rejects when it cannot be started. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

export function superviseWorker(
  environment: Readonly<Record<string, string>>,
  logPath: string,
  onEvent: (line: string) => void,
  onGivenUp: (error: StpError) => void,
): WorkerProcess {
  const log = createWriteStream(logPath, { flags: 'a' });
  let child: ChildProcess | null = null;
  let stopping = false;
  let failedStarts = 0;
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  // Prevents that an unhandled rejection ends the process.
  ready.catch(() => undefined);

  const giveUp = (error: StpError): void => {
    reject(error);
    onGivenUp(error);
  };

  const start = (): void => {
    let wasReady = false;
    const started = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(REPOSITORY, 'workers', 'dev.ts')],
      {
        env: { ...withoutTemporal(process.env), ...environment },
        // The channel carries no messages. Its end tells the worker that this process is gone, for whatever reason.
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    );
    child = started;
    const lastLines: string[] = [];
    const take = (line: string): void => {
      if (line === READY_LINE) {
        wasReady = true;
        failedStarts = 0;
        resolve();
        return;
      }
      lastLines.push(line);
      if (lastLines.length > 20) lastLines.shift();
      log.write(`${line}\n`);
    };
    createInterface({ input: started.stdout! }).on('line', take);
    createInterface({ input: started.stderr! }).on('line', take);
    started.on('close', (code, signal) => {
      if (stopping) return;
      if (!wasReady) failedStarts++;
      if (failedStarts >= FAILED_STARTS_MAX) {
        giveUp(
          new StpError(
            'STP1604',
            `the worker does not start (${signal ?? `exit ${code}`})`,
            `Its last lines:\n${lastLines.slice(-8).join('\n')}`,
          ),
        );
        return;
      }
      onEvent(`the worker ended (${signal ?? `exit ${code}`}); it is started again, see ${logPath}`);
      setTimeout(() => stopping || start(), RESTART_DELAY_MS);
    });
  };
  start();
  return {
    ready,
    async stop() {
      stopping = true;
      const running = child;
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const ended = new Promise<void>((done) => running.once('close', () => done()));
      running.kill('SIGTERM');
      const timer = setTimeout(() => running.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Removes settings for other Temporal servers (namespace, TLS, keys, profile): our own server uses none. */
function withoutTemporal(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const rest = Object.entries(environment).filter(([name]) => !name.startsWith('TEMPORAL_'));
  return { ...Object.fromEntries(rest), TEMPORAL_CONFIG_FILE: join(REPOSITORY, 'infra', 'temporal', 'plain.toml') };
}
