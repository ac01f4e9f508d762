/** Candidates in, verdicts out, in order: what is refused, known or equal is not checked; the rest goes to Lean in batches. */
import type { LeanMessage, VerdictKind } from '../../data/schemas/records.ts';
import { allEnded } from '../process/all-ended.ts';
import type { Slots } from '../process/slots.ts';
import { screenHeader } from '../screen/screen-header.ts';
import { screenProof } from '../screen/screen-proof.ts';
import { screenStatement } from '../screen/screen-statement.ts';
import type { Refusal } from '../screen/screen-text.ts';
import type { Candidate, CheckOptions, CheckResult } from '../verifier.ts';
import { splitAxioms } from './axioms.ts';
import type { BatchEntry } from './batch-source.ts';
import { type VerdictCache, verdictKey } from './cache.ts';
import { checkAlone, checkEntries, type EntryCheck, type Outcome } from './check-entries.ts';
import type { LibraryAxioms } from './library-axioms.ts';
import type { Limits } from './limits.ts';
import type { PremiseResolver } from './premises.ts';
import type { ProcessOptions } from './run-batch.ts';

/** Raised whenever the way a candidate is judged changes, so that older cached verdicts are not found. */
const CHECK_VERSION = '1';

export interface VerifierState {
  readonly processOptions: ProcessOptions;
  readonly libraryHeader: string;
  readonly processes: number;
  readonly batchSize: number;
  readonly limits: { readonly small: Limits; readonly big: Limits };
  readonly slots: Slots;
  readonly cache: VerdictCache | null;
  readonly libraryAxioms: LibraryAxioms;
  readonly premises: PremiseResolver;
}

/** One thing to check, wanted by one or more candidates (equal texts are checked once). */
interface Work extends BatchEntry {
  readonly key: string;
  readonly header: string;
  readonly premises: readonly string[];
  /** Lines and columns to add to a message's place to get the place in the proof as it came. */
  readonly linesDropped: number;
  readonly columnsAdded: number;
  readonly indexes: number[];
}

type Judged = Omit<CheckResult, 'id'>;

export async function checkCandidates(
  state: VerifierState,
  candidates: readonly Candidate[],
  options: CheckOptions,
  signal: AbortSignal,
): Promise<readonly CheckResult[]> {
  signal.throwIfAborted();
  const results: CheckResult[] = new Array(candidates.length);
  const report = (index: number, judged: Judged): void => {
    results[index] = { id: candidates[index]!.id, ...judged };
    options.onResult?.(results[index]);
  };
  const certificate = options.tier === 'certificate';
  const cache = certificate ? null : state.cache;
  const works = new Map<string, Work>();
  for (const [index, candidate] of candidates.entries()) {
    const prepared = prepare(state, candidate);
    if ('kind' in prepared) {
      report(index, prepared);
      continue;
    }
    const known = cache?.get(prepared.key);
    if (known) report(index, { ...known, fromCache: true });
    else if (works.has(prepared.key)) works.get(prepared.key)!.indexes.push(index);
    else works.set(prepared.key, { ...prepared, indexes: [index] });
  }

  const judge = async (work: Work, outcome: Outcome): Promise<void> => {
    const judged = await judgeOutcome(state, work, outcome);
    signal.throwIfAborted();
    for (const index of work.indexes) report(index, judged);
    if (cache !== null) await cache.put(work.key, results[work.indexes[0]!]!);
  };
  await allEnded(
    batches(state, [...works.values()], certificate).map(async (batch) => {
      const { smallLimitsOnly = false } = options;
      const check: EntryCheck = { ...state, ...state.limits, smallLimitsOnly, header: batch[0]!.header, signal };
      if (certificate) return judge(batch[0]!, await checkAlone(check, batch[0]!));
      const judging: Promise<void>[] = [];
      const settle = (index: number, outcome: Outcome): void => {
        const judged = judge(batch[index]!, outcome);
        judged.catch(() => {}); // It is awaited below; until then nobody listens.
        judging.push(judged);
      };
      await checkEntries(check, batch, settle);
      await allEnded(judging);
    }),
  );
  return results;
}

function prepare(state: VerifierState, candidate: Candidate): Omit<Work, 'indexes'> | Judged {
  const header = candidate.header ?? state.libraryHeader;
  const headerReason = candidate.header === null ? null : screenHeader(candidate.header);
  if (headerReason !== null) return refused('header_error', { line: 0, column: 0, reason: headerReason });
  const statement = screenStatement(candidate.statement);
  if (!statement.accepted) {
    const { reason, ...place } = statement.refusal;
    return refused('forbidden', { ...place, reason: `the statement: ${reason}` });
  }
  const proof = screenProof(candidate.proof);
  if (!proof.accepted) return refused(proof.refusal.kind, proof.refusal);
  const { environment } = state.processOptions;
  const limits = [state.limits.small, state.limits.big].map((limit) => JSON.stringify(limit));
  return {
    key: verdictKey([CHECK_VERSION, environment.fingerprint, header, statement.signature, proof.text, ...limits]),
    header,
    signature: statement.signature,
    proofText: proof.text,
    premises: state.premises(header, proof.text),
    linesDropped: proof.linesDropped,
    columnsAdded: proof.columnsAdded,
  };
}

function refused(kind: VerdictKind, refusal: Omit<Refusal, 'kind'>): Judged {
  const message: LeanMessage = { severity: 'error', line: refusal.line, column: refusal.column, text: refusal.reason };
  return { kind, messages: [message], premises: [], axioms: [], checkMs: 0, fromCache: false };
}

/** Lists of one header each; a short list is spread over the processes, a certificate stands alone. */
function batches(state: VerifierState, works: readonly Work[], alone: boolean): Work[][] {
  const groups = Map.groupBy(works, (work) => work.header);
  return [...groups.values()].flatMap((group) => {
    const size = alone ? 1 : Math.max(1, Math.min(state.batchSize, Math.ceil(group.length / state.processes)));
    return Array.from({ length: Math.ceil(group.length / size) }, (_, index) =>
      group.slice(index * size, (index + 1) * size),
    );
  });
}

async function judgeOutcome(state: VerifierState, work: Work, outcome: Outcome): Promise<Judged> {
  const base = { premises: work.premises, axioms: [] as readonly string[], checkMs: outcome.checkMs, fromCache: false };
  if (!('axioms' in outcome)) {
    return { ...base, kind: outcome.kind, messages: outcome.messages.map((message) => placeInProof(message, work)) };
  }
  const { environment } = state.processOptions;
  const { refused: axioms, asked } = splitAxioms(outcome.axioms, environment.toleratesLibraryAxioms);
  try {
    if (axioms.length === 0) axioms.push(...(await state.libraryAxioms.foreign(work.header, asked)));
  } catch (error) {
    const message: LeanMessage = { severity: 'error', line: 0, column: 0, text: (error as Error).message };
    return { ...base, kind: 'infra', messages: [message] };
  }
  if (axioms.length === 0) return { ...base, kind: 'proved', messages: [] };
  const text = `rests on axioms that are not allowed: ${axioms.slice(0, 20).join(', ')}`;
  return {
    ...base,
    kind: 'rejected',
    axioms: axioms.sort(),
    messages: [{ severity: 'error', line: 0, column: 0, text }],
  };
}

function placeInProof(message: LeanMessage, work: Work): LeanMessage {
  if (message.line < 1) return message;
  const column = Math.max(0, message.column - work.columnsAdded);
  return { ...message, line: message.line + work.linesDropped, column };
}
