/**
 * The `Verifier` over a pool of Lean processes: screen, cache, checks by Lean under each header, then the
 * judge of the compiled object (`object/`). No candidate changes the verdict of another.
 */
import { mkdir } from 'node:fs/promises';
import { StpError } from '@stp/base';
import { type LeanHost, openLeanHost } from '../runtime/pool/lean-host.ts';
import type { LeanPool } from '../runtime/pool/lean-pool.ts';
import { openPool } from '../runtime/pool/open-pool.ts';
import type { DriverName } from '../runtime/process/driver.ts';
import { openDriver } from '../runtime/process/open-driver.ts';
import type { ProcessPlace } from '../runtime/process/spawn.ts';
import { noSandbox, type Sandbox } from '../runtime/sandbox/sandbox.ts';
import { watchProject } from '../toolchain/project-marks.ts';
import type { LeanEnvironment, Verifier } from '../verifier.ts';
import { checkerVersions } from './certificate/checkers.ts';
import { ProofConfirmer } from './object/proof-confirmer.ts';
import { openVerdictCache } from './verdict/cache.ts';
import { checkCandidates, type VerifierState } from './verdict/check-candidates.ts';
import { checkStatementBatch } from './verdict/check-statements.ts';
import { CANDIDATE_TIMEOUT_MS, limitClasses, MEMORY_BYTES_MAX } from './verdict/limits.ts';
import { premiseResolver } from './verdict/premises.ts';

/** A process that holds this share of the small class's memory between two checks leaves too little to the next one. */
const RESIDENT_SHARE_MAX = 0.75;

export type VerifierOptions = VerifierSettings &
  (
    | {
        /** The caller opens and closes it. Its driver speaks to the environment below. */
        readonly pool: LeanPool;
      }
    | {
        /** Lean processes at once on the host. */
        readonly processes: number;
        /** How they are spoken to. Default `json`. */
        readonly driver?: DriverName;
      }
  );

interface VerifierSettings {
  readonly environment: LeanEnvironment;
  /** Stands above a candidate whose header is null. Trusted. */
  readonly libraryHeader: string;
  /** Candidates of one run at most, where runs hold more than one; default what the driver does best. */
  readonly batchSize?: number;
  /** Folder of the verdict cache, or null for none. */
  readonly cacheDirectory: string | null;
  /** Working directory of the Lean processes; made if it is not there. Nothing is written to it. */
  readonly scratchDirectory: string;
  readonly runMark?: string;
  /** Shared by all that starts Lean here; without it the verifier has the host for itself. */
  readonly host?: LeanHost | undefined;
  /** Sandbox of the processes that this verifier starts by itself. Without one they run as any program of this user. */
  readonly sandbox?: Sandbox;
  /** Processor time for one candidate in the small class, ms; twice that in the big one. Ten times that in wall time. */
  readonly candidateTimeoutMs?: number;
  /** Resident memory of one process in the small class; twice that in the big one. */
  readonly memoryBytesMax?: number;
  /** Fully qualified names that count as premises; without them no verdict names any. */
  readonly premiseNames?: readonly string[];
  /** Keeps which compiled module holds which constant; without it this is found out once a process. */
  readonly indexFolder?: string;
  /** Where modules go that the two kernels disagree on; without it they are not kept. */
  readonly disagreementsFolder?: string;
}

/** Needs of a pool beyond the place of its processes. */
export interface CheckPoolOptions {
  readonly driver: DriverName;
  readonly processes: number;
  readonly host?: LeanHost | undefined;
  /** Memory limit of one process in the small class. */
  readonly memoryBytesMax?: number;
}

/**
 * A pool fit for verifiers: sessions have the memory of the big class, and are worn when they hold most of the small one's.
 * Where an environment stays warm, one is warmed ahead.
 */
export function openCheckPool(place: ProcessPlace, options: CheckPoolOptions): LeanPool {
  const memoryBytesMax = options.memoryBytesMax ?? MEMORY_BYTES_MAX;
  const driver = openDriver(options.driver, place, 'in runs');
  return openPool({
    driver,
    processes: options.processes,
    host: options.host,
    memoryBytesMax: limitClasses({ candidateTimeoutMs: CANDIDATE_TIMEOUT_MS, memoryBytesMax }).big.memoryBytesMax,
    residentBytesMax: RESIDENT_SHARE_MAX * memoryBytesMax,
    spares: driver.candidatesPerRun === 1 ? 1 : 0,
  });
}

/** Fails with STP1002 for a number of processes below 1. Starts no process yet. */
export async function openVerifier(options: VerifierOptions): Promise<Verifier> {
  const { environment, scratchDirectory, runMark, sandbox } = options;
  const bounds = {
    candidateTimeoutMs: options.candidateTimeoutMs ?? CANDIDATE_TIMEOUT_MS,
    memoryBytesMax: options.memoryBytesMax ?? MEMORY_BYTES_MAX,
  };
  const place: ProcessPlace = { environment, workingDirectory: scratchDirectory, runMark, sandbox };
  const host = options.host ?? openLeanHost();
  const own = 'pool' in options ? null : ownPool(place, { ...options, host }, bounds.memoryBytesMax);
  const pool = 'pool' in options ? options.pool : own!;
  const { candidatesPerRun } = pool.driver;
  await mkdir(scratchDirectory, { recursive: true });
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const state: VerifierState = {
    environment,
    pool,
    libraryHeader: options.libraryHeader,
    // Where the environment stays warm a run of one costs no more, and tells of one.
    entriesPerRun: candidatesPerRun === 1 ? 1 : (options.batchSize ?? candidatesPerRun),
    limits: (heartbeatsMax) => limitClasses({ ...bounds, heartbeatsMax }),
    cache: options.cacheDirectory === null ? null : await openVerdictCache(options.cacheDirectory),
    confirmer: new ProofConfirmer({
      place,
      scratchDirectory,
      limits: limitClasses(bounds).big,
      indexFolder: options.indexFolder ?? null,
      disagreementsFolder: options.disagreementsFolder ?? null,
      takeTurn: (work, signal) => host.turns.run(pool.stats().processes, work, signal),
      beside: (work) => runIfFree(host.turns, pool.stats().processes, work),
      processes: pool.stats().processes,
      isOneByOne: candidatesPerRun === 1,
      signal: closing.signal,
    }),
    premises: premiseResolver(new Set(options.premiseNames ?? [])),
    checkers: await checkerVersions(place),
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

/** Null where no turn is free now. */
function runIfFree<T>(turns: LeanHost['turns'], width: number, work: () => Promise<T>): Promise<T> | null {
  let begun: Promise<T> | null = null;
  const leave = turns.take(width, () => {
    begun = work().finally(() => turns.give());
  });
  leave();
  return begun;
}

function ownPool(
  place: ProcessPlace,
  options: Exclude<VerifierOptions, { readonly pool: LeanPool }>,
  memoryBytesMax: number,
): LeanPool {
  const { driver = 'json', processes, host } = options;
  return openCheckPool(place, { driver, processes, host, memoryBytesMax });
}
