/**
 * Judges the rows of a window: every proof is screened, tried by Lean and judged as a compiled object, as in a run. Every row gets an answer: without Lean, or when the time is up, a row has no verdict (`infra`) and gives the reason.
 */
import { StpError } from '@stp/base';
import { type CheckResult, LIBRARY_HEADER, openVerifier, rowVerdict, type Verifier } from '@stp/lean-verifier';
import { TimeIsUp } from '../shared/bounded-command.ts';
import type { LeanPlace } from '../shared/lean-place.ts';
import { writeCertificate } from './certificates-folder.ts';
import type { Answer } from './verify-lines.ts';
import type { VerifyRow } from './verify-rows.ts';

export interface JudgeOptions {
  /** Lean processes at once. */
  readonly processes: number;
  /** Memory limit of one process, bytes. */
  readonly memoryBytesMax: number;
  /** Where modules go that the two kernels disagree on. */
  readonly disagreementsFolder: string;
}

/** Answers the rows in order. Rejects with the signal's reason unless that is the end of the command's time. */
export type JudgeRows = (rows: readonly VerifyRow[], signal: AbortSignal) => Promise<readonly Answer[]>;

export interface RowJudge {
  readonly judge: JudgeRows;
  close(): Promise<void>;
}

export async function openJudge(place: LeanPlace, options: JudgeOptions, certify: string | null): Promise<RowJudge> {
  const verifier = await openPlaceVerifier(place, options);
  return {
    judge: (rows, signal) => judgeRows(rows, verifier, certify, signal),
    close: () => verifier.close(),
  };
}

/** A verifier that believes nothing that an earlier call has found. */
export function openPlaceVerifier(place: LeanPlace, options: JudgeOptions): Promise<Verifier> {
  const { environment, sandbox, scratch, indexFolder } = place;
  const { processes, memoryBytesMax, disagreementsFolder } = options;
  return openVerifier({
    environment,
    sandbox,
    processes,
    memoryBytesMax,
    indexFolder,
    disagreementsFolder,
    libraryHeader: LIBRARY_HEADER,
    // Memory does not grow with the rows.
    cacheDirectory: null,
    scratchDirectory: scratch.directory,
    runMark: scratch.runMark,
  });
}

/** The answer for a row that was not judged. */
export function unjudged({ id }: VerifyRow, message: string): Answer {
  return { id, verdict: 'infra', axioms: [], checks: [], message };
}

/** Why rows were given up. Rethrows what is neither the command's time nor an error of Lean or this machine. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (cause instanceof TimeIsUp) return `not judged: ${cause.message}; --timeout SECONDS gives more`;
  if (cause instanceof StpError) return cause.toText();
  throw cause;
}

async function judgeRows(
  rows: readonly VerifyRow[],
  verifier: Verifier,
  certify: string | null,
  signal: AbortSignal,
): Promise<readonly Answer[]> {
  // Rows may share an id, so candidates have numbers.
  const candidates = rows.map((row, index) => ({ ...row, id: String(index) }));
  const results: (CheckResult | undefined)[] = rows.map(() => undefined);
  let givenUp = '';
  try {
    const onResult = (result: CheckResult): void => {
      results[Number(result.id)] = result;
    };
    await verifier.check(candidates, { signal, onResult });
  } catch (error) {
    givenUp = reasonOf(error, signal);
  }
  const answers: Answer[] = [];
  for (const [index, row] of rows.entries()) {
    const result = results[index];
    answers.push(result === undefined ? unjudged(row, givenUp) : await answerOf(row, result, certify));
  }
  return answers;
}

/** `certify`: the folder that gets the certificate of a proof; null keeps none. */
async function answerOf(row: VerifyRow, result: CheckResult, certify: string | null): Promise<Answer> {
  const { certificate } = result;
  const isWritten = certify !== null && certificate !== undefined;
  return {
    id: row.id,
    ...rowVerdict(result),
    ...(isWritten ? { certificate: await writeCertificate(certify, row.id, row, certificate) } : {}),
  };
}
