/** `stp lean serve`: real Lean behind Kimina's HTTP contract, until SIGTERM or Ctrl-C (docs/lean-service.md). */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '../data/errors.ts';
import { writeRunMark } from '../data/run-mark.ts';
import { ownerOfThisProcess } from '../infra/nodes/processes.ts';
import { openPool } from '../lean/pool/open-pool.ts';
import type { DriverName } from '../lean/process/driver.ts';
import { openDriver } from '../lean/process/open-driver.ts';
import { openSandbox, type SandboxPolicy } from '../lean/sandbox/open-sandbox.ts';
import { DEFAULT_LIMITS, type LeanServeLimits } from '../lean/serve/limits.ts';
import { startLeanServer } from '../lean/serve/server.ts';
import { leanEnvironment } from '../workers/assemble.ts';
import { workerSettings } from '../workers/settings.ts';
import { clientKeys, untilStopped } from './serving.ts';

/** Comma-separated keys of clients. */
const KEYS_VARIABLE = 'STP_LEAN_SERVE_KEYS';
/** What the marks of these processes say in place of a run. */
const RUN_NAME = 'lean-serve';
/** A process that holds this share of its memory after a check is ended: the next check would have too little. */
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
  /** False under `--no-key`: serve everyone. */
  readonly key: boolean;
}

export async function serveLean(options: LeanServeCommand): Promise<void> {
  const keys = clientKeys(KEYS_VARIABLE, options);
  const stopped = untilStopped();
  const settings = workerSettings();
  const say = (line: string): void => console.error(line);
  const environment = await leanEnvironment(settings, say);
  const { cacheDirectory, scratchDirectory } = settings;
  const sandbox = await openSandbox(options.sandbox, { cacheDirectory, environment, install: 'auto', onProgress: say });
  await mkdir(scratchDirectory, { recursive: true });
  const workingDirectory = await mkdtemp(join(scratchDirectory, `${RUN_NAME}-`));
  const runMark = writeRunMark(RUN_NAME, await ownerOfThisProcess(), 'lean');
  const limits = limitsOf(options);
  const { driver: driverName, processes } = options;
  const { replProgram } = settings;
  const driver = openDriver(driverName, { environment, workingDirectory, runMark, sandbox, replProgram });
  const { memoryBytesMax } = limits;
  const residentBytesMax = RECYCLED_SHARE * memoryBytesMax;
  const pool = openPool({ driver, processes, memoryBytesMax, residentBytesMax });
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
      onError: (error) => console.error(error instanceof StpError ? error.toText() : error),
    });
    console.log(`serving ${environment.version} on ${server.url}, ${processes} processes (${driverName})`);
    console.log(keys.length === 0 ? 'no key is asked for' : `a key of ${KEYS_VARIABLE} is asked for`);
    if (sandbox.facts.kind === 'none')
      console.log(`Lean runs without a sandbox (${sandbox.facts.description}): serve nobody you do not trust`);
    await stopped;
    console.log('finishing what is under way');
    await server.close();
  } finally {
    await pool.close();
    await rm(workingDirectory, { recursive: true, force: true });
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
