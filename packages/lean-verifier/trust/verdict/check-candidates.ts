/**
 * Candidates in, verdicts out, in the same order. A candidate that is refused, already known, or equal to one in
 * progress is not checked; all others go to Lean. Besides the caller's candidates and their verdicts it holds a bounded
 * number of texts.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { sha256 } from '@stp/config/ids';
import type { Certificate, LeanMessage, ObjectJudgement, VerdictKind } from '@stp/config/records';
import type { LeanPool } from '../../runtime/pool/lean-pool.ts';
import type { Candidate, CheckOptions, CheckResult, LeanEnvironment } from '../../verifier.ts';
import type { Confirmation } from '../object/compile-claims.ts';
import { JUDGED_BY } from '../object/findings.ts';
import { grownHash } from '../object/grown-objects.ts';
import type { ProofConfirmer } from '../object/proof-confirmer.ts';
import { namesBoundIn } from '../screen/local-names.ts';
import { screenHeader } from '../screen/screen-header.ts';
import { screenProof } from '../screen/screen-proof.ts';
import { screenStatement } from '../screen/screen-statement.ts';
import type { Refusal } from '../screen/screen-text.ts';
import { calledName } from '../stated-form.ts';
import { type VerdictCache, verdictKey } from './cache.ts';
import { type CheckEntry, checkEntries } from './check-entries.ts';
import { infra, type Outcome } from './check-outcome.ts';
import type { LimitClasses } from './limits.ts';
import type { PremiseResolver } from './premises.ts';
import { PROOFS, PROOFS_TO_JUDGE, proofsAsObjects } from './run-batch.ts';

/** Raised whenever the way a candidate is judged changes, so that older cached verdicts are not found. */
const CHECK_VERSION = '9';

/** Candidates are screened in one go so many at a time; then others may do something. */
const SCREENED_AT_ONCE = 64;
/** Proofs that wait for their object to be judged; then nothing more is given to Lean until there are fewer. */
const JUDGING_MAX = 1_024;

/** As in `leanMessageSchema`. */
const TEXT_CHARS_MAX = 4_096;
const UNEXPLAINED: LeanMessage = { severity: 'error', line: 0, column: 0, text: 'Lean was not asked why it fails' };
const UNCONFIRMED: Confirmation = { kind: 'proved', reason: '', axioms: [] };

export interface VerifierState {
  readonly environment: LeanEnvironment;
  readonly pool: LeanPool;
  readonly libraryHeader: string;
  /** Candidates of one run at most. */
  readonly entriesPerRun: number;
  readonly limits: (heartbeatsMax: CheckOptions['heartbeatsMax']) => LimitClasses;
  readonly cache: VerdictCache | null;
  readonly confirmer: ProofConfirmer;
  readonly premises: PremiseResolver;
  /** Names and versions of the further checkers that look at objects here. */
  readonly checkers: readonly string[];
  /** Why the environment's project is another one now, or null. */
  readonly rebuilt: () => Promise<string | null>;
}

/** One thing to check, wanted by one or more candidates (equal texts are checked once). */
interface Work extends CheckEntry {
  readonly statedUnder: string;
  readonly writtenUnder: string;
  readonly statement: string;
  readonly key: string;
  /** Key of a verdict that serves as well: the one with the reason. */
  readonly explainedKey: string;
  readonly isExplained: boolean;
  readonly premises: readonly string[];
  /** Lines and columns to add to a message's place to get the place in the proof as it came. */
  readonly linesDropped: number;
  readonly columnsAdded: number;
  readonly indexes: number[];
  /** Ends what was begun for it in case Lean accepts it. */
  readonly ahead: AbortController;
  /** The theorem's own name, where the proof has it: if the proof fails without it, it may be a recursive call. */
  readonly ownName: string | undefined;
}

type Judged = Omit<CheckResult, 'id' | 'certificate'> & { readonly judgement?: ObjectJudgement | undefined };

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
  /** Questions that Lean works on now, by key. */
  const works = new Map<string, Work>();
  const judging = new Set<Promise<void>>();
  const recursive: Work[] = [];
  let failure: { readonly error: unknown } | null = null;

  async function* unknown(): AsyncGenerator<Work> {
    for (const [index, candidate] of candidates.entries()) {
      if (index % SCREENED_AT_ONCE === SCREENED_AT_ONCE - 1) await turn();
      while (judging.size >= JUDGING_MAX) await Promise.race(judging);
      if (failure !== null) throw failure.error;
      signal.throwIfAborted();
      const isExplained = options.explains?.(candidate) ?? true;
      const prepared = (await staleVerdict(state)) ?? prepare(state, candidate, { limits, confirm, isExplained });
      if ('kind' in prepared) {
        report(index, prepared);
        continue;
      }
      const { key } = prepared;
      const known = cache?.get(prepared.explainedKey) ?? cache?.get(key);
      const same = works.get(key);
      // This verifier decides which names count as premises; the one that filled the cache may have known others.
      if (known) report(index, { ...known, premises: prepared.premises, fromCache: true });
      else if (same !== undefined) same.indexes.push(index);
      else {
        const ahead = new AbortController();
        const work = { ...prepared, indexes: [index], ahead };
        works.set(key, work);
        // The proof has the first turn.
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
      .catch((error: unknown) => {
        failure ??= { error };
      })
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
    // A name that the imports have too means theirs, so recursion is tried only where that fails.
    if (recursive.length > 0) await checkEntries(check, recursive, settle);
  } finally {
    state.confirmer.flush();
    await Promise.all(judging);
    for (const { ahead } of works.values()) ahead.abort();
  }
  if (failure !== null) throw (failure as { error: unknown }).error;
  return results;
}

/** No verdict, where what is kept of the project's modules is not what is on disk; else null. */
async function staleVerdict({ rebuilt }: VerifierState): Promise<Judged | null> {
  const why = await rebuilt();
  return why === null
    ? null
    : { ...infra(`${why}: start again`), ...{ premises: [], axioms: [], checkMs: 0, fromCache: false } };
}

function prepare(
  state: VerifierState,
  candidate: Candidate,
  asked: { readonly limits: LimitClasses; readonly confirm: boolean; readonly isExplained: boolean },
): Omit<Work, 'indexes' | 'ahead'> | Judged {
  const screenedHeader = candidate.header === null ? null : screenHeader(candidate.header);
  if (screenedHeader?.accepted === false) {
    return refused('header_error', { line: 0, column: 0, reason: screenedHeader.reason });
  }
  const header = screenedHeader?.text ?? state.libraryHeader;
  const stated = screenStatedUnder(state, candidate, header);
  if ('reason' in stated) return refused('header_error', { line: 0, column: 0, reason: stated.reason });
  const statement = screenStatement(candidate.statement, namesBoundIn(candidate.header));
  if (!statement.accepted) {
    const { reason, ...place } = statement.refusal;
    return refused('forbidden', { ...place, reason: `the statement: ${reason}` });
  }
  const proof = screenProof(candidate.proof, namesBoundIn(candidate.header, statement.signature));
  if (!proof.accepted) return refused(proof.refusal.kind, proof.refusal);
  const { environment } = state;
  const { limits, confirm, isExplained } = asked;
  const bounds = [limits.small, limits.big].map((limit) => JSON.stringify(limit));
  const judgedBy = confirm ? [stated.text, grownHash(environment) ?? '', ...JUDGED_BY, ...state.checkers] : ['text'];
  const ownName = calledName(statement.name, `${proof.text}\n${proof.ending ?? ''}`);
  const writtenUnder = headerOfStatement(state, candidate);
  // Two that are printed alike may have been written otherwise.
  const written = [writtenUnder, candidate.statement];
  const texts = [header, statement.signature, ...written, proof.text, proof.ending ?? '', ownName ?? ''];
  const parts = [CHECK_VERSION, `${judgedBy.length}`, ...judgedBy, environment.fingerprint, ...texts, ...bounds];
  const explainedKey = verdictKey(parts);
  return {
    key: isExplained ? explainedKey : verdictKey([...parts, 'unexplained']),
    explainedKey,
    isExplained,
    header,
    statedUnder: stated.text,
    writtenUnder,
    statement: candidate.statement,
    signature: statement.signature,
    namespace: statement.namespace,
    proofText: proof.text,
    ending: proof.ending,
    ownName,
    premises: state.premises(header, proof.text),
    linesDropped: proof.linesDropped,
    columnsAdded: proof.columnsAdded,
  };
}

function screenStatedUnder(
  { libraryHeader }: VerifierState,
  { statedUnder }: Candidate,
  header: string,
): { readonly text: string } | { readonly reason: string } {
  if (statedUnder === undefined) return { text: header };
  if (statedUnder === null) return { text: libraryHeader };
  return screenHeader(statedUnder);
}

/** The header that fixes what the statement means, as it came. */
function headerOfStatement({ libraryHeader }: VerifierState, { header, statedUnder = header }: Candidate): string {
  return statedUnder ?? libraryHeader;
}

/** Bound to the candidate's own texts: two proofs of one statement that are printed alike share a judgement. */
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

function refused(kind: VerdictKind, refusal: Omit<Refusal, 'kind'>): Judged {
  const message: LeanMessage = { severity: 'error', line: refusal.line, column: refusal.column, text: refusal.reason };
  return { kind, messages: [message], premises: [], axioms: [], checkMs: 0, fromCache: false };
}

/** Judges the object of an entry that Lean accepted; only then it counts. */
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
    return { ...base, kind, messages: outcome.messages.map((message) => placeInProof(message, work)) };
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

function placeInProof(message: LeanMessage, work: Work): LeanMessage {
  if (message.line < 1) return message;
  const column = Math.max(0, message.column - work.columnsAdded);
  return { ...message, line: message.line + work.linesDropped, column };
}
