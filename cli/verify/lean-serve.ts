/**
 * `stp lean serve`: serves Lean over Kimina's HTTP API until SIGTERM or Ctrl-C (docs/lean-service.md). After the first
 * signal it finishes its open requests; a second one ends it at once.
 */
import {
  type DriverName,
  openDriver,
  openLeanHost,
  openPool,
  openSandbox,
  type SandboxPolicy,
} from '@stp/lean-verifier';
import { DEFAULT_LIMITS, type LeanServeLimits, startLeanServer } from '@stp/lean-verifier/serve';
import { type CommandScratch, openCommandScratch } from '../../infra/nodes/command-scratch.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { REPOSITORY, workerSettings } from '../../workers/settings.ts';
import { sayRemoved } from '../shared/leavings.ts';
import { clientKeys, sayError, serveUntil, serveUntilStopped } from '../shared/serving.ts';
import { codeOfStoppable, stopSignal } from '../shared/stop-signals.ts';
import { openVerdictTools } from './verdict-tools.ts';

/** Comma-separated keys of clients. */
const KEYS_VARIABLE = 'STP_LEAN_SERVE_KEYS';
/**
 * A process that uses more than this share of its memory limit after a check is ended, since the next check would
 * have too little.
 */
const RECYCLED_SHARE = 0.9;
const MEBIBYTE = 1_048_576;

export interface LeanServeCommand {
  readonly host: string;
  readonly port: number;
  readonly driver: DriverName;
  readonly processes: number;
  readonly memoryMb: number;
  readonly waitSeconds: number;
  readonly timeoutSeconds: number;
  readonly maxRequests: number;
  readonly sandbox: SandboxPolicy;
  /** False under `--no-key`: serve clients without keys. */
  readonly key: boolean;
}

/**
 * Returns the exit code: 0 if it stopped on request after its open requests; 128 plus the signal's number if it was not
 * serving yet.
 */
export async function serveLean(options: LeanServeCommand): Promise<number> {
  const keys = clientKeys(KEYS_VARIABLE, options);
  const stop = stopSignal();
  const { scratchDirectory } = workerSettings();
  await sayRemoved(scratchDirectory);
  const scratch = await openCommandScratch(scratchDirectory, 'lean-serve');
  try {
    return await codeOfStoppable(async () => {
      await serveUntil(stop, () => serveOnce(stop, scratch, keys, options));
      return 0;
    });
  } finally {
    await scratch.remove();
  }
}

/** Serves until the signal, or until the underlying Lean project is rebuilt. */
async function serveOnce(
  stop: AbortSignal,
  { directory: workingDirectory, runMark }: CommandScratch,
  keys: readonly string[],
  options: LeanServeCommand,
): Promise<void> {
  const settings = workerSettings();
  const { cacheDirectory } = settings;
  const say = (line: string): void => console.error(line);
  const environment = await leanEnvironment(settings, say, stop);
  const opening = { cacheDirectory, environment, install: 'auto', onProgress: say, signal: stop } as const;
  const sandbox = await openSandbox(options.sandbox, opening);
  const limits = limitsOf(options);
  const { driver: driverName, processes } = options;
  const driver = openDriver(driverName, { environment, workingDirectory, runMark, sandbox });
  const { memoryBytesMax } = limits;
  const residentBytesMax = RECYCLED_SHARE * memoryBytesMax;
  stop.throwIfAborted();
  const host = openLeanHost();
  const pool = openPool({ driver, processes, memoryBytesMax, residentBytesMax, host });
  const verdicts = await openVerdictTools({
    environment,
    sandbox,
    driver: driverName,
    host,
    processes,
    memoryBytesMax,
    cacheDirectory,
    runMark,
    scratchDirectory: workingDirectory,
  });
  const stale = new AbortController();
  try {
    const server = await startLeanServer({
      pool,
      environment,
      driver: driverName,
      sandbox: sandbox.facts,
      host: options.host,
      port: options.port,
      keys,
      limits,
      verdicts,
      privateFolders: [workingDirectory, cacheDirectory, REPOSITORY],
      onError: sayError,
      onStale: () => stale.abort(),
    });
    await serveUntilStopped([server], {
      lines: [
        `serving ${environment.version} on ${server.url}, ${processes} ${processes === 1 ? 'process' : 'processes'} (${driverName})`,
        ...(sandbox.facts.kind === 'none'
          ? [`Lean runs without a sandbox (${sandbox.facts.description}): serve nobody you do not trust`]
          : []),
      ],
      keyVariable: KEYS_VARIABLE,
      keys,
      stop,
      stale: stale.signal,
    });
  } finally {
    await verdicts.verifier.close();
    await pool.close();
  }
}

function limitsOf({ memoryMb, waitSeconds, timeoutSeconds, maxRequests }: LeanServeCommand): LeanServeLimits {
  return {
    ...DEFAULT_LIMITS,
    requestsInFlight: maxRequests,
    waitMs: 1_000 * waitSeconds,
    timeoutSecondsMax: timeoutSeconds,
    memoryBytesMax: memoryMb * MEBIBYTE,
  };
}
