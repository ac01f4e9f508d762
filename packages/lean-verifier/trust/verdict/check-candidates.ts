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
  readonly limits: (heartbeatsMax: CheckOptions['heartbeatsMax']) => LimitClasses;
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

export async function checkCandidates(
  state: VerifierState,
  candidates: readonly Candidate[],
  options: CheckOptions,
  signal: AbortSignal,
): Promise<readonly CheckResult[]> {
  signal.throwIfAborted();
  const results: CheckResult[] = new Array(candidates.length);
  const report = (index: number, { judgement, ...judged }: Judged): void => {
    const candidate = candidates[index]!;
    const certificate = judgement === undefined ? {} : { certificate: certificateOf(state, candidate, judgement) };
    results[index] = { id: candidate.id, ...judged, ...certificate };
    options.onResult?.(results[index]);
  };
  const alone = options.alone ?? false;
  const confirm = options.confirm ?? true;
  const cache = alone ? null : state.cache;
  const limits = state.limits(options.heartbeatsMax);
  const confirming = confirm ? { heartbeatsMax: limits.big.heartbeatsMax, signal } : null;
  const works = new Map<string, Work>();
  const judging = new Set<Promise<void>>();
  const recursive: Work[] = [];
  const failures: { readonly error: unknown }[] = [];

  async function* unknown(): AsyncGenerator<Work> {
    for (const [index, candidate] of candidates.entries()) {
      if (index % SCREENED_AT_ONCE === SCREENED_AT_ONCE - 1) await yieldToOthers();
      while (judging.size >= JUDGING_MAX) await Promise.race(judging);
      if (failures[0] !== undefined) throw failures[0].error;
      signal.throwIfAborted();
      const isExplained = options.explains?.(candidate) ?? true;
      const prepared =
        (await staleVerdict(state)) ?? prepareCandidate(state, candidate, { limits, confirm, isExplained });
      if ('kind' in prepared) {
        report(index, prepared);
        continue;
      }
      const { key } = prepared;
      const known = cache?.get(prepared.explainedKey) ?? cache?.get(key);
      const same = works.get(key);
      // This verifier determines which names count as premises; the one that filled the cache may have used others.
      if (known) report(index, { ...known, premises: prepared.premises, fromCache: true });
      else if (same !== undefined) same.indexes.push(index);
      else {
        const ahead = new AbortController();
        const work = { ...prepared, indexes: [index], ahead };
        works.set(key, work);
        // Start the proof first.
        if (confirming !== null)
          setImmediate(() => state.confirmer.stateAhead(work, confirming.heartbeatsMax, ahead.signal));
        yield work;
      }
    }
  }

  async function judge(work: Work, outcome: Outcome): Promise<void> {
    if (!('axioms' in outcome)) work.ahead.abort();
    if (outcome.kind === 'rejected' && work.ownName !== undefined && work.calledAs === undefined) {
      recursive.push({ ...work, calledAs: work.ownName });
      return;
    }
    const found = await judgeOutcome(state, work, outcome, confirming);
    const stale = await staleVerdict(state);
    const judged = stale ?? found;
    signal.throwIfAborted();
    works.delete(work.key);
    for (const index of work.indexes) report(index, judged);
    if (cache !== null && stale === null) await cache.put(work.key, judged);
  }

  function settle(work: Work, outcome: Outcome): void {
    const judged = judge(work, outcome)
      .catch((error: unknown) => void failures.push({ error }))
      .finally(() => judging.delete(judged));
    judging.add(judged);
  }

  const { pool, entriesPerRun } = state;
  const smallLimitsOnly = options.smallLimitsOnly ?? false;
  try {
    const check = {
      pool,
      ...limits,
      smallLimitsOnly,
      alone,
      entriesPerRun,
      form: confirm ? PROOFS_TO_JUDGE : PROOFS,
      written: confirm && pool.driver.writesObjects ? proofsAsObjects(state.confirmer.objects) : undefined,
      signal,
    };
    await checkEntries(check, unknown(), settle);
    // If the imports have a constant with the theorem's name, the name means that constant. So recursion is tried only
    // after a failure.
    if (recursive.length > 0) await checkEntries(check, recursive, settle);
  } finally {
    state.confirmer.flush();
    await Promise.all(judging);
    for (const { ahead } of works.values()) ahead.abort();
  }
  if (failures[0] !== undefined) throw failures[0].error;
  return results;
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
