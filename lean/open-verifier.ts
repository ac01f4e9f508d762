/**
 * The `Verifier` over batches of `lean --json`: screen, cache, batches grouped by header on a fixed number of processes,
 * axioms, premises. What one candidate does never changes the verdict of another.
 */
import { mkdir } from 'node:fs/promises';
import { StpError } from '../data/errors.ts';
import { openSlots } from './process/slots.ts';
import { openVerdictCache } from './verdict/cache.ts';
import { checkCandidates, type VerifierState } from './verdict/check-candidates.ts';
import { checkStatementBatch } from './verdict/check-statements.ts';
import { openLibraryAxioms } from './verdict/library-axioms.ts';
import { CANDIDATE_TIMEOUT_MS, limitClasses, MEMORY_BYTES_MAX } from './verdict/limits.ts';
import { premiseResolver } from './verdict/premises.ts';
import type { LeanEnvironment, Verifier } from './verifier.ts';

/** Candidates a process: starting Lean costs about 0.25 s and one candidate about 0.01 s. */
const BATCH_SIZE = 128;

export interface VerifierOptions {
  readonly environment: LeanEnvironment;
  /** Stands above a candidate whose header is null. Trusted. */
  readonly libraryHeader: string;
  /** Lean processes at once. */
  readonly processes: number;
  readonly batchSize?: number;
  /** Folder of the verdict cache, or null for none. */
  readonly cacheDirectory: string | null;
  /** Working directory of the Lean processes; made if it is not there. Nothing is written to it. */
  readonly scratchDirectory: string;
  readonly runMark?: string;
  /** Processor time for one candidate in the small class, ms; twice that in the big one. Ten times that in wall time. */
  readonly candidateTimeoutMs?: number;
  /** Resident memory of one process in the small class; twice that in the big one. */
  readonly memoryBytesMax?: number;
  /** Fully qualified names that count as premises; without them no verdict names any. */
  readonly premiseNames?: readonly string[];
}

/** Fails with STP1002 for a number of processes below 1. Starts no process yet. */
export async function openVerifier(options: VerifierOptions): Promise<Verifier> {
  if (!Number.isInteger(options.processes) || options.processes < 1) {
    throw new StpError(
      'STP1002',
      `a verifier needs at least one process, not ${options.processes}`,
      'Give a whole number from 1.',
    );
  }
  await mkdir(options.scratchDirectory, { recursive: true });
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const slots = openSlots(options.processes);
  const processOptions = {
    environment: options.environment,
    workingDirectory: options.scratchDirectory,
    runMark: options.runMark,
  };
  const state: VerifierState = {
    processOptions,
    libraryHeader: options.libraryHeader,
    processes: options.processes,
    batchSize: options.batchSize ?? BATCH_SIZE,
    limits: limitClasses({
      candidateTimeoutMs: options.candidateTimeoutMs ?? CANDIDATE_TIMEOUT_MS,
      memoryBytesMax: options.memoryBytesMax ?? MEMORY_BYTES_MAX,
    }),
    slots,
    cache: options.cacheDirectory === null ? null : await openVerdictCache(options.cacheDirectory),
    libraryAxioms: openLibraryAxioms({ ...processOptions, slots, signal: closing.signal }),
    premises: premiseResolver(new Set(options.premiseNames ?? [])),
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
    environment: options.environment,
    check: (candidates, check = {}) => track(checkCandidates(state, candidates, check, signalOf(check.signal))),
    checkStatements: (statements, check = {}) => track(checkStatementBatch(state, statements, signalOf(check.signal))),
    async close() {
      closing.abort(new StpError('STP1203', 'the verifier was closed', 'Open a new one.'));
      await Promise.allSettled(running);
    },
  };
}
