/** Screens a candidate before Lean reads it, and makes the cache key of its verdict. */
import type { LeanMessage, ObjectJudgement, VerdictKind } from '@stp/config/records';
import type { Candidate, CheckResult, LeanEnvironment } from '../../verifier.ts';
import { JUDGED_BY } from '../object/findings.ts';
import { grownHash } from '../object/grown-objects.ts';
import { namesBoundIn } from '../screen/local-names.ts';
import { screenHeader } from '../screen/screen-header.ts';
import { screenProof } from '../screen/screen-proof.ts';
import { screenStatement } from '../screen/screen-statement.ts';
import type { Refusal } from '../screen/screen-text.ts';
import { calledName } from '../stated-form.ts';
import { verdictKey } from './cache.ts';
import type { CheckEntry } from './check-entries.ts';
import type { LimitClasses } from './limits.ts';
import type { PremiseResolver } from './premises.ts';

/** Increment whenever the judgement of candidates changes, so that older cached verdicts are not used. */
const CHECK_VERSION = '9';

/** The state of a verifier that the preparation reads. */
export interface PreparingState {
  readonly environment: LeanEnvironment;
  readonly libraryHeader: string;
  readonly premises: PremiseResolver;
  /** Names and versions of the further checkers of this machine. */
  readonly checkers: readonly string[];
}

/** A candidate that the screen accepted. */
export interface PreparedCandidate extends CheckEntry {
  readonly statedUnder: string;
  readonly writtenUnder: string;
  readonly statement: string;
  readonly key: string;
  /** Key of an equally good verdict: the one that explains a rejection. */
  readonly explainedKey: string;
  readonly isExplained: boolean;
  readonly premises: readonly string[];
  /** Lines and columns to add to a position in `text` to get the position in the original proof. */
  readonly linesDropped: number;
  readonly columnsAdded: number;
  /** The theorem's own name, if the proof contains it: it may be a recursive call if the proof fails otherwise. */
  readonly ownName: string | undefined;
}

/** A verdict before its certificate is made. */
export type Judged = Omit<CheckResult, 'id' | 'certificate'> & { readonly judgement?: ObjectJudgement | undefined };

/**
 * Screens a candidate and makes the key of the verdict that it shares with equal ones. Returns a verdict if the screen
 * refuses it.
 * @param asked.confirm the compiled module is judged too
 * @param asked.isExplained Lean is asked why the candidate fails
 */
export function prepareCandidate(
  state: PreparingState,
  candidate: Candidate,
  asked: { readonly limits: LimitClasses; readonly confirm: boolean; readonly isExplained: boolean },
): PreparedCandidate | Judged {
  const screenedHeader = candidate.header === null ? null : screenHeader(candidate.header);
  if (screenedHeader?.accepted === false) {
    return refused('header_error', { line: 0, column: 0, reason: screenedHeader.reason });
  }
  const header = screenedHeader?.text ?? state.libraryHeader;
  const stated = screenStatedUnder(state, candidate, header);
  if ('reason' in stated) return refused('header_error', { line: 0, column: 0, reason: stated.reason });
  const statement = screenStatement(candidate.statement, namesBoundIn(candidate.header));
  if (!statement.accepted) {
    const { reason, ...position } = statement.refusal;
    return refused('forbidden', { ...position, reason: `the statement: ${reason}` });
  }
  const proof = screenProof(candidate.proof, namesBoundIn(candidate.header, statement.signature));
  if (!proof.accepted) return refused(proof.refusal.kind, proof.refusal);
  const { environment } = state;
  const { limits, confirm, isExplained } = asked;
  const bounds = [limits.small, limits.big].map((limit) => JSON.stringify(limit));
  const judgedBy = confirm ? [stated.text, grownHash(environment) ?? '', ...JUDGED_BY, ...state.checkers] : ['text'];
  const ownName = calledName(statement.name, `${proof.text}\n${proof.ending ?? ''}`);
  const writtenUnder = headerOfStatement(state, candidate);
  // Two statements that are printed alike may differ as written.
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
  { libraryHeader }: Pick<PreparingState, 'libraryHeader'>,
  { statedUnder }: Candidate,
  header: string,
): { readonly text: string } | { readonly reason: string } {
  if (statedUnder === undefined) return { text: header };
  if (statedUnder === null) return { text: libraryHeader };
  return screenHeader(statedUnder);
}

/** Returns the header that fixes the statement's meaning, as it came. */
export function headerOfStatement(
  { libraryHeader }: Pick<PreparingState, 'libraryHeader'>,
  { header, statedUnder = header }: Candidate,
): string {
  return statedUnder ?? libraryHeader;
}

function refused(kind: VerdictKind, refusal: Omit<Refusal, 'kind'>): Judged {
  const message: LeanMessage = { severity: 'error', line: refusal.line, column: refusal.column, text: refusal.reason };
  return { kind, messages: [message], premises: [], axioms: [], checkMs: 0, fromCache: false };
}
