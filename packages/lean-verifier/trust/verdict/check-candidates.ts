/**
 * Takes candidates and gives verdicts in the same order. Candidates that are refused, already known, or equal to one in
 * progress are not checked; all others go to Lean. Apart from the caller's candidates and their verdicts, memory use is
 * bounded.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { sha256 } from '@stp/config/ids';
import type { Certificate, LeanMessage, ObjectJudgement } from '@stp/config/records';
import type { LeanPool } from '../../runtime/pool/lean-pool.ts';
import type { Candidate, CheckOptions, CheckResult } from '../../verifier.ts';
import type { Confirmation } from '../object/compile-claims.ts';
import type { ProofConfirmer } from '../object/confirmation-queue.ts';
import type { VerdictCache } from './cache.ts';
import { checkEntries } from './check-entries.ts';
import { infra, type Outcome } from './check-outcome.ts';
import type { LimitClasses } from './limits.ts';
import {
  headerOfStatement,
  type Judged,
  type PreparedCandidate,
  type PreparingState,
  prepareCandidate,
} from './prepare-candidate.ts';
import { PROOFS, PROOFS_TO_JUDGE, proofsAsObjects } from './run-batch.ts';

/** Number of candidates that are screened before other tasks of the event loop may run. */
const SCREENED_AT_ONCE = 64;
/** Maximum number of proofs that wait for judgement of their modules. Beyond it Lean gets no further candidates. */
const JUDGING_MAX = 1_024;

/** The same limit as in `leanMessageSchema`. */
const TEXT_CHARS_MAX = 4_096;
const UNEXPLAINED: LeanMessage = { severity: 'error', line: 0, column: 0, text: 'Lean was not asked why it fails' };
const UNCONFIRMED: Confirmation = { kind: 'proved', reason: '', axioms: [] };

export interface VerifierState extends PreparingState {
  readonly pool: LeanPool;
  readonly entriesPerRun: number;
  readonly limits: (asked: Pick<CheckOptions, 'heartbeatsMax' | 'candidateTimeoutMs'>) => LimitClasses;
  readonly cache: VerdictCache | null;
  readonly confirmer: ProofConfirmer;
  /** Returns why the environment's project has changed, or null. */
  readonly rebuilt: () => Promise<string | null>;
}

/** One check that one or more candidates need (equal texts are checked once). */
interface Work extends PreparedCandidate {
  readonly indexes: number[];
  /** Aborts work that was started in advance in case Lean accepts the proof. */
  readonly ahead: AbortController;
}

/**
 * Rejects with the signal's reason, or with the first error of a judgement or of `options.onResult`, once no work is in
 * progress.
 */
export async function checkCandidates(
  state: VerifierState,
  candidates: readonly Candidate[],
  options: CheckOptions,
  signal: AbortSignal,
): Promise<readonly CheckResult[]> {
  signal.throwIfAborted();
  return new CandidatesCheck(state, candidates, options, signal).run();
}

/** The checks of one call: which works are in progress, which proofs are judged, and which results are known. */
class CandidatesCheck {
  readonly #state: VerifierState;
  readonly #candidates: readonly Candidate[];
  readonly #options: CheckOptions;
  readonly #signal: AbortSignal;
  readonly #limits: LimitClasses;
  /** False: Lean's acceptance is the verdict, and no module is judged. */
  readonly #confirm: boolean;
  readonly #cache: VerdictCache | null;
  readonly #results: CheckResult[];
  /** Works in progress by the key of their verdict. */
  readonly #works = new Map<string, Work>();
  readonly #judging = new Set<Promise<void>>();
  readonly #failures: { readonly error: unknown }[] = [];
  /** Rejected works that may prove their theorem by recursion. */
  readonly #recursive: Work[] = [];

  constructor(state: VerifierState, candidates: readonly Candidate[], options: CheckOptions, signal: AbortSignal) {
    this.#state = state;
    this.#candidates = candidates;
    this.#options = options;
    this.#signal = signal;
    this.#limits = state.limits(options);
    this.#confirm = options.confirm ?? true;
    this.#cache = options.alone === true ? null : state.cache;
    this.#results = new Array(candidates.length);
  }

  async run(): Promise<readonly CheckResult[]> {
    try {
      await this.#check(this.#unknown());
      // If the imports have a constant with the theorem's name, the name means that constant. So recursion is tried only
      // after a failure.
      if (this.#recursive.length > 0) await this.#check(this.#recursive);
    } finally {
      this.#state.confirmer.flush();
      await Promise.all(this.#judging);
      for (const { ahead } of this.#works.values()) ahead.abort();
    }
    if (this.#failures[0] !== undefined) throw this.#failures[0].error;
    return this.#results;
  }

  /** Has Lean check works; each is judged when its outcome is known. */
  #check(works: Iterable<Work> | AsyncIterable<Work>): Promise<void> {
    const { pool, entriesPerRun, confirmer } = this.#state;
    const check = {
      pool,
      ...this.#limits,
      smallLimitsOnly: this.#options.smallLimitsOnly ?? false,
      alone: this.#options.alone ?? false,
      entriesPerRun,
      form: this.#confirm ? PROOFS_TO_JUDGE : PROOFS,
      written: this.#confirm && pool.driver.writesObjects ? proofsAsObjects(confirmer.objects) : undefined,
      signal: this.#signal,
    };
    return checkEntries(check, works, (work, outcome) => this.#settle(work, outcome));
  }

  /** Yields the works that Lean must check; reports candidates that need none. */
  async *#unknown(): AsyncGenerator<Work> {
    for (const [index, candidate] of this.#candidates.entries()) {
      if (index % SCREENED_AT_ONCE === SCREENED_AT_ONCE - 1) await yieldToOthers();
      while (this.#judging.size >= JUDGING_MAX) await Promise.race(this.#judging);
      if (this.#failures[0] !== undefined) throw this.#failures[0].error;
      this.#signal.throwIfAborted();
      const work = this.#workFor(index, (await staleVerdict(this.#state)) ?? this.#prepared(candidate));
      if (work !== null) yield work;
    }
  }

  #prepared(candidate: Candidate): PreparedCandidate | Judged {
    const isExplained = this.#options.explains?.(candidate) ?? true;
    return prepareCandidate(this.#state, candidate, { limits: this.#limits, confirm: this.#confirm, isExplained });
  }

  /** Returns null if the candidate's verdict is known already, or follows from an equal candidate's work. */
  #workFor(index: number, prepared: PreparedCandidate | Judged): Work | null {
    if ('kind' in prepared) {
      this.#report(index, prepared);
      return null;
    }
    const { key, explainedKey, premises } = prepared;
    const known = this.#cache?.get(explainedKey) ?? this.#cache?.get(key);
    const same = this.#works.get(key);
    if (known) {
      // This verifier determines which names count as premises; the one that filled the cache may have used others.
      this.#report(index, { ...known, premises, fromCache: true });
      return null;
    }
    if (same !== undefined) {
      same.indexes.push(index);
      return null;
    }
    const work = { ...prepared, indexes: [index], ahead: new AbortController() };
    this.#works.set(key, work);
    // Start the proof first.
    if (this.#confirm)
      setImmediate(() => this.#state.confirmer.stateAhead(work, this.#limits.big.heartbeatsMax, work.ahead.signal));
    return work;
  }

  #settle(work: Work, outcome: Outcome): void {
    const judged = this.#judge(work, outcome)
      .catch((error: unknown) => void this.#failures.push({ error }))
      .finally(() => this.#judging.delete(judged));
    this.#judging.add(judged);
  }

  async #judge(work: Work, outcome: Outcome): Promise<void> {
    if (!('axioms' in outcome)) work.ahead.abort();
    if (outcome.kind === 'rejected' && work.ownName !== undefined && work.calledAs === undefined) {
      this.#recursive.push({ ...work, calledAs: work.ownName });
      return;
    }
    const bounds = { heartbeatsMax: this.#limits.big.heartbeatsMax, signal: this.#signal };
    const found = await judgeOutcome(this.#state, work, outcome, this.#confirm ? bounds : null);
    const stale = await staleVerdict(this.#state);
    const judged = stale ?? found;
    this.#signal.throwIfAborted();
    this.#works.delete(work.key);
    for (const index of work.indexes) this.#report(index, judged);
    if (stale === null) await this.#cache?.put(work.key, judged);
  }

  #report(index: number, { judgement, ...judged }: Judged): void {
    const candidate = this.#candidates[index]!;
    const certificate =
      judgement === undefined ? {} : { certificate: certificateOf(this.#state, candidate, judgement) };
    const result = { id: candidate.id, ...judged, ...certificate };
    this.#results[index] = result;
    this.#options.onResult?.(result);
  }
}

/** Returns an `infra` verdict if the project's modules on disk have changed, otherwise null. */
async function staleVerdict({ rebuilt }: VerifierState): Promise<Judged | null> {
  const why = await rebuilt();
  return why === null
    ? null
    : { ...infra(`${why}: start again`), premises: [], axioms: [], checkMs: 0, fromCache: false };
}

/**
 * Makes a certificate for the candidate's own texts: two proofs of a statement that are printed alike share a
 * judgement.
 */
function certificateOf(state: VerifierState, candidate: Candidate, judgement: ObjectJudgement): Certificate {
  const { environment } = state;
  return {
    ...judgement,
    leanVersion: environment.version,
    fingerprint: environment.fingerprint,
    statementHash: sha256(candidate.statement),
    proofHash: sha256(candidate.proof),
    headerHash: sha256(headerOfStatement(state, candidate)),
  };
}

/** Judges the module of an entry that Lean accepted. Only then does it count as proved. */
async function judgeOutcome(
  state: VerifierState,
  work: Work,
  outcome: Outcome,
  confirming: { readonly heartbeatsMax: number; readonly signal: AbortSignal } | null,
): Promise<Judged> {
  const { checkMs, queueMs, peakResidentBytes } = outcome;
  const base = {
    premises: work.premises,
    axioms: [] as readonly string[],
    checkMs,
    queueMs,
    ...(peakResidentBytes === undefined ? {} : { peakResidentBytes }),
    driver: state.pool.driver.name,
    fromCache: false,
  };
  if (!('axioms' in outcome)) {
    const { kind } = outcome;
    if (kind === 'rejected' && !work.isExplained) return { ...base, kind, messages: [UNEXPLAINED] };
    return { ...base, kind, messages: outcome.messages.map((message) => positionInProof(message, work)) };
  }
  const confirmation =
    confirming === null
      ? UNCONFIRMED
      : await state.confirmer.confirm(work, confirming.heartbeatsMax, confirming.signal, outcome.written);
  const { kind, reason, axioms, judgement, isDisagreement } = confirmation;
  const messages: LeanMessage[] =
    reason === '' ? [] : [{ severity: 'error', line: 0, column: 0, text: reason.slice(0, TEXT_CHARS_MAX) }];
  return { ...base, kind, axioms, messages, judgement, ...(isDisagreement ? { isDisagreement } : {}) };
}

function positionInProof(message: LeanMessage, work: Work): LeanMessage {
  if (message.line < 1) return message;
  const column = Math.max(0, message.column - work.columnsAdded);
  return { ...message, line: message.line + work.linesDropped, column };
}
