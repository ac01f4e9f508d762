/**
 * Judges the rows of a window: every proof is screened, compiled by Lean and judged as a compiled module, as in a run.
 * Every row gets an answer. If there is no Lean, or the time is over, the row has no verdict (`infra`) and gives the
 * reason.
 */
import { StpError } from '@stp/base';
import { type CheckResult, LIBRARY_HEADER, openVerifier, rowVerdict, type Verifier } from '@stp/lean-verifier';
import { TimeIsUp } from '../shared/bounded-command.ts';
import type { LeanSetup } from '../shared/lean-setup.ts';
import { writeCertificate } from './certificates-folder.ts';
import type { Answer } from './verify-lines.ts';
import type { VerifyRow } from './verify-rows.ts';

export interface JudgeOptions {
  /** Number of concurrent Lean processes. */
  readonly processes: number;
  /** Memory limit of one process, bytes. */
  readonly memoryBytesMax: number;
}

/** Returns answers in the order of the rows. Rejects with the signal's reason, unless the command's time is over. */
export type JudgeRows = (rows: readonly VerifyRow[], signal: AbortSignal) => Promise<readonly Answer[]>;

export interface RowJudge {
  readonly judge: JudgeRows;
  close(): Promise<void>;
}

export async function openJudge(setup: LeanSetup, options: JudgeOptions, certify: string | null): Promise<RowJudge> {
  const verifier = await openSetupVerifier(setup, options);
  return {
    judge: (rows, signal) => judgeRows(rows, verifier, certify, signal),
    close: () => verifier.close(),
  };
}

/** Opens a verifier that trusts no results of earlier calls. */
export function openSetupVerifier(setup: LeanSetup, options: JudgeOptions): Promise<Verifier> {
  const { environment, sandbox, scratch, indexFolder, onDisagreement } = setup;
  const { processes, memoryBytesMax } = options;
  return openVerifier({
    environment,
    sandbox,
    processes,
    memoryBytesMax,
    indexFolder,
    onDisagreement,
    libraryHeader: LIBRARY_HEADER,
    // Memory use must not grow with the rows.
    cacheDirectory: null,
    scratchDirectory: scratch.directory,
    runMark: scratch.runMark,
  });
}

/** Returns the answer for a row that was not judged. */
export function unjudged({ id }: VerifyRow, message: string): Answer {
  return { id, verdict: 'infra', axioms: [], checks: [], message };
}

/**
 * Returns why rows were given up. Rethrows all errors but the end of the command's time and errors of Lean or this
 * machine.
 */
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
  // Rows may share an id, so candidates are numbered.
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

/** `certify`: the folder for the proof's certificate; null: none is written. */
async function answerOf(row: VerifyRow, result: CheckResult, certify: string | null): Promise<Answer> {
  const { certificate } = result;
  const answer = { id: row.id, ...rowVerdict(result) };
  if (certify === null || certificate === undefined) return answer;
  try {
    return { ...answer, certificate: await writeCertificate(certify, row.id, row, certificate) };
  } catch (error) {
    if (!(error instanceof StpError)) throw error;
    return { ...answer, certificate: null, message: error.message };
  }
}
