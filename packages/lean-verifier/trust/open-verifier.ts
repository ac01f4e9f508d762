/**
 * The `Verifier` over a pool of Lean processes: screen, cache, checks by Lean under each header, then the object judge
 * (`object/`). No candidate affects the verdict of another.
 */
import { mkdir } from 'node:fs/promises';
import { StpError } from '@stp/base';
import { type LeanHost, openLeanHost } from '../runtime/pool/lean-host.ts';
import type { LeanPool } from '../runtime/pool/lean-pool.ts';
import { openPool } from '../runtime/pool/open-pool.ts';
import type { DriverName } from '../runtime/process/driver.ts';
import { openDriver } from '../runtime/process/open-driver.ts';
import type { ProcessContext } from '../runtime/process/spawn.ts';
import { noSandbox, type Sandbox } from '../runtime/sandbox/sandbox.ts';
import { watchProject } from '../toolchain/project-marks.ts';
import type { LeanEnvironment, Verifier } from '../verifier.ts';
import { checkerVersions } from './certificate/checkers.ts';
import { ProofConfirmer } from './object/confirmation-queue.ts';
import type { OnDisagreement } from './object/disagreement.ts';
import { openVerdictCache } from './verdict/cache.ts';
import { checkCandidates, type VerifierState } from './verdict/check-candidates.ts';
import { checkStatementBatch } from './verdict/check-statements.ts';
import { CANDIDATE_TIMEOUT_MS, limitClasses, MEMORY_BYTES_MAX } from './verdict/limits.ts';
import { premiseResolver } from './verdict/premises.ts';

/**
 * A process that holds more than this share of the small limit's memory between two checks leaves too little for the
 * next check.
 */
const RESIDENT_SHARE_MAX = 0.75;

export type VerifierOptions = VerifierSettings &
  (
    | {
        /** The caller opens and closes it. Its driver must use the environment below. */
        readonly pool: LeanPool;
      }
    | {
        /** Maximum number of Lean processes at work on the host. */
        readonly processes: number;
        /** How Lean is run. Default: `json`. */
        readonly driver?: DriverName;
      }
  );

interface VerifierSettings {
  readonly environment: LeanEnvironment;
  /** Placed above candidates whose header is null. Trusted. */
  readonly libraryHeader: string;
  /** Maximum number of candidates per run, for drivers with more than one. Default: the driver's recommendation. */
  readonly batchSize?: number;
  /** Folder of the verdict cache; null for no cache. */
  readonly cacheDirectory: string | null;
  /** Working directory of the Lean processes. It is created if missing, and nothing is written to it. */
  readonly scratchDirectory: string;
  readonly runMark?: string;
  /** Shared by everything on this machine that starts Lean. Missing: the verifier is the host's only user. */
  readonly host?: LeanHost | undefined;
  /** Sandbox of the processes that this verifier starts itself. Missing: they run with all rights of this user. */
  readonly sandbox?: Sandbox;
  /**
   * Processor time limit for one candidate under the small limits, ms; the big limit is twice that. Wall-time limits
   * are ten times that.
   */
  readonly candidateTimeoutMs?: number;
  /** Limit on the resident memory of one process under the small limits, bytes; the big limit is twice that. */
  readonly memoryBytesMax?: number;
  /** Fully qualified names that count as premises. Missing: verdicts list no premises. */
  readonly premiseNames?: readonly string[];
  /**
   * Folder for an index from constants to the compiled modules that contain them. Missing: each process builds its own
   * index.
   */
  readonly indexFolder?: string;
  /** Missing: disagreements of the two kernels are only refused. */
  readonly onDisagreement?: OnDisagreement;
}

/** Options of a pool in addition to its `ProcessContext`. */
export interface CheckPoolOptions {
  readonly driver: DriverName;
  readonly processes: number;
  readonly host?: LeanHost | undefined;
  /** Memory limit of one process under the small limits, bytes. */
  readonly memoryBytesMax?: number;
}

/**
 * Opens a pool suitable for verifiers. Sessions may use the memory of the big limits, and are worn once they hold most
 * of the memory of the small limits. If the driver keeps headers imported, one spare session is opened in advance.
 */
export function openCheckPool(processContext: ProcessContext, options: CheckPoolOptions): LeanPool {
  const memoryBytesMax = options.memoryBytesMax ?? MEMORY_BYTES_MAX;
  const driver = openDriver(options.driver, processContext, 'in runs');
  return openPool({
    driver,
    processes: options.processes,
    host: options.host,
    memoryBytesMax: limitClasses({ candidateTimeoutMs: CANDIDATE_TIMEOUT_MS, memoryBytesMax }).big.memoryBytesMax,
    residentBytesMax: RESIDENT_SHARE_MAX * memoryBytesMax,
    spares: driver.candidatesPerRun === 1 ? 1 : 0,
  });
}

/** Throws STP1002 if `processes` is below 1. Starts no process yet. */
export async function openVerifier(options: VerifierOptions): Promise<Verifier> {
  const { environment, scratchDirectory, runMark, sandbox } = options;
  const bounds = {
    candidateTimeoutMs: options.candidateTimeoutMs ?? CANDIDATE_TIMEOUT_MS,
    memoryBytesMax: options.memoryBytesMax ?? MEMORY_BYTES_MAX,
  };
  const processContext: ProcessContext = { environment, workingDirectory: scratchDirectory, runMark, sandbox };
  const host = options.host ?? openLeanHost();
  const own = 'pool' in options ? null : ownPool(processContext, { ...options, host }, bounds.memoryBytesMax);
  const pool = 'pool' in options ? options.pool : own!;
  const { candidatesPerRun } = pool.driver;
  await mkdir(scratchDirectory, { recursive: true });
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const state: VerifierState = {
    environment,
    pool,
    libraryHeader: options.libraryHeader,
    // If headers stay imported, a run of one candidate costs no more, and its measurements belong to that candidate.
    entriesPerRun: candidatesPerRun === 1 ? 1 : (options.batchSize ?? candidatesPerRun),
    limits: ({ heartbeatsMax, candidateTimeoutMs = bounds.candidateTimeoutMs }) =>
      limitClasses({ ...bounds, candidateTimeoutMs, heartbeatsMax }),
    cache: options.cacheDirectory === null ? null : await openVerdictCache(options.cacheDirectory),
    confirmer: new ProofConfirmer({
      processContext,
      scratchDirectory,
      limits: limitClasses(bounds).big,
      indexFolder: options.indexFolder ?? null,
      onDisagreement: options.onDisagreement ?? null,
      withPermit: (work, signal) => host.permits.run(pool.stats().processes, work, signal),
      beside: (work) => runIfFree(host.permits, pool.stats().processes, work),
      processes: pool.stats().processes,
      isOneByOne: candidatesPerRun === 1,
      signal: closing.signal,
    }),
    premises: premiseResolver(new Set(options.premiseNames ?? [])),
    checkers: await checkerVersions(processContext),
    rebuilt: watchProject(environment),
  };

  async function track<T>(task: Promise<T>): Promise<T> {
    running.add(task);
    try {
      return await task;
    } finally {
      running.delete(task);
    }
  }

  function signalOf(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
  }

  return {
    environment,
    sandbox: (sandbox ?? noSandbox('none was asked for')).facts,
    check: (candidates, check = {}) => track(checkCandidates(state, candidates, check, signalOf(check.signal))),
    checkStatements: (statements, check = {}) =>
      track(checkStatementBatch(state, statements, check, signalOf(check.signal))),
    async close() {
      closing.abort(new StpError('STP1203', 'the verifier was closed', 'Open a new one.'));
      await Promise.allSettled(running);
      await state.confirmer.close();
      await own?.close();
    },
  };
}

/** Runs the work if a permit is free now; otherwise returns null. */
function runIfFree<T>(permits: LeanHost['permits'], width: number, work: () => Promise<T>): Promise<T> | null {
  let begun: Promise<T> | null = null;
  const leave = permits.take(width, () => {
    begun = work().finally(() => permits.give());
  });
  leave();
  return begun;
}

function ownPool(
  processContext: ProcessContext,
  options: Exclude<VerifierOptions, { readonly pool: LeanPool }>,
  memoryBytesMax: number,
): LeanPool {
  const { driver = 'json', processes, host } = options;
  return openCheckPool(processContext, { driver, processes, host, memoryBytesMax });
}
