/**
 * Judges the rows of a window: every proof is screened, tried by Lean and confirmed in its compiled object. With
 * `certify` the proofs that hold are then certified in files of their own, as a run certifies the proofs it keeps.
 * Every row gets an answer: without Lean, or when the time is up, a row has no verdict (`infra`) and gives the reason.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import {
  CANDIDATE_TIMEOUT_MS,
  type CertificateFinding,
  type CheckProofs,
  type CheckResult,
  certifyProofs,
  checkFile,
  importLines,
  KEPT_NAMESPACE,
  type LeanHost,
  LIBRARY_HEADER,
  limitClasses,
  openLeanHost,
  openVerifier,
  type ProofText,
  type RefusedProof,
  type Verifier,
} from '@stp/lean-verifier';
import { TimeIsUp } from './bounded-command.ts';
import type { LeanPlace } from './lean-place.ts';
import type { Answer } from './verify-lines.ts';
import type { VerifyRow } from './verify-rows.ts';

const MESSAGE_CHARS_MAX = 4_096;

export interface JudgeOptions {
  readonly certify: boolean;
  /** Lean processes at once. */
  readonly processes: number;
  /** Of one process, bytes. */
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

export async function openJudge(place: LeanPlace, options: JudgeOptions): Promise<RowJudge> {
  const { environment, sandbox, scratch, indexFolder } = place;
  const { processes, memoryBytesMax, disagreementsFolder } = options;
  const host = openLeanHost();
  const verifier = await openVerifier({
    environment,
    host,
    sandbox,
    processes,
    memoryBytesMax,
    indexFolder,
    disagreementsFolder,
    libraryHeader: LIBRARY_HEADER,
    // Nothing that an earlier call has found is believed, and memory does not grow with the rows.
    cacheDirectory: null,
    scratchDirectory: scratch.directory,
    runMark: scratch.runMark,
  });
  const certifier = options.certify ? new Certifier(place, options, host) : null;
  return {
    judge: (rows, signal) => judgeRows(rows, verifier, certifier, signal),
    close: () => verifier.close(),
  };
}

/** The answer for a row that was not judged. */
export function unjudged({ id }: VerifyRow, certify: boolean, message: string): Answer {
  return { id, verdict: 'infra', certified: certify ? false : null, axioms: [], checks: [], message };
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
  certifier: Certifier | null,
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
  const proved = rows.filter((_, index) => results[index]?.kind === 'proved');
  const certified = certifier === null ? null : await certifier.certify(proved, signal);
  return rows.map((row, index): Answer => {
    const result = results[index];
    if (result === undefined) return unjudged(row, certified !== null, givenUp);
    const { kind, axioms } = result;
    if (kind !== 'proved' || certified === null) {
      const flag = certified === null ? null : false;
      return { id: row.id, verdict: kind, certified: flag, axioms, checks: [], message: messageOf(result) };
    }
    const finding = certified.get(row)!;
    return typeof finding === 'string' ? unjudged(row, true, finding) : answerOf(row, finding);
  });
}

function answerOf({ id }: VerifyRow, finding: CertificateFinding): Answer {
  const { certified, checks, theorem } = finding;
  const axioms = theorem?.axioms ?? [];
  if (certified) return { id, verdict: 'proved', certified, axioms, checks, message: '' };
  return { id, verdict: verdictOf(finding), certified, axioms, checks, message: `no certificate: ${finding.reason}` };
}

function verdictOf({ isWrong }: RefusedProof): 'rejected' | 'timeout' {
  return isWrong ? 'rejected' : 'timeout';
}

/** Lean's errors; where it reports none, all its messages. */
function messageOf({ kind, messages }: CheckResult): string {
  if (kind === 'proved') return '';
  const errors = messages.filter(({ severity }) => severity === 'error');
  const said = (errors.length > 0 ? errors : messages)
    .map(({ line, column, text }) => (line < 1 ? text : `${line}:${column}: ${text}`))
    .join('\n');
  return said.slice(0, MESSAGE_CHARS_MAX) || (kind === 'sorry' ? 'rests on `sorry`' : 'Lean does not say why');
}

class Certifier {
  readonly #place: LeanPlace;
  readonly #options: JudgeOptions;
  readonly #host: LeanHost;
  #files = 0;

  constructor(place: LeanPlace, options: JudgeOptions, host: LeanHost) {
    this.#host = host;
    this.#place = place;
    this.#options = options;
  }

  /** A finding for every row, or the reason for having no finding. Equal rows are certified once. */
  async certify(
    rows: readonly VerifyRow[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<VerifyRow, CertificateFinding | string>> {
    const found = new Map<VerifyRow, CertificateFinding | string>();
    // What one header imports could change what the statement under another one says.
    for (const [, group] of Map.groupBy(rows, ({ header }) => importLines([{ header }]).join('\n'))) {
      const distinct = [
        ...Map.groupBy(group, ({ header, statement, proof }) => JSON.stringify([header, statement, proof])),
      ];
      const texts = distinct.map(([, [row]], index): ProofText => {
        const { header, statement, proof } = row!;
        return { name: `${KEPT_NAMESPACE}.row${index}`, header, statement, proof, premises: [] };
      });
      let findings: readonly CertificateFinding[] | string;
      try {
        findings = await this.#host.turns.run(
          this.#options.processes,
          () => certifyProofs(texts, this.#checker(signal)),
          signal,
        );
      } catch (error) {
        findings = reasonOf(error, signal);
      }
      for (const [index, [, equals]] of distinct.entries())
        for (const row of equals) found.set(row, typeof findings === 'string' ? findings : findings[index]!);
    }
    return found;
  }

  #checker(signal: AbortSignal): CheckProofs {
    const { environment, sandbox, scratch, indexFolder } = this.#place;
    const { memoryBytesMax, disagreementsFolder } = this.#options;
    const path = join(scratch.directory, `Certificate${this.#files++}.lean`);
    const limits = limitClasses({ candidateTimeoutMs: CANDIDATE_TIMEOUT_MS, memoryBytesMax });
    return async (text, task) => {
      await writeFile(path, text);
      return checkFile(path, environment, {
        certificate: task,
        scratchDirectory: scratch.directory,
        runMark: scratch.runMark,
        memoryBytesMax: limits.big.memoryBytesMax,
        sandbox,
        signal,
        indexFolder,
        disagreementsFolder,
      });
    };
  }
}
