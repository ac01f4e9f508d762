/**
 * Behaviour common to the sessions of all drivers: one run at a time, a count of uses, and no further use after a
 * failed run.
 */
import { StpError } from '@stp/base';
import type { LeanSession, SessionExit, SessionRun } from './driver.ts';
import type { MessageEnd } from './message.ts';

export interface SessionParts {
  readonly header: string;
  /** Process id of the process that stays between runs; null if each run starts its own process. */
  readonly pid: number | null;
  residentBytes(): Promise<number>;
  /** Does one run for `LeanSession.run`. The signal combines the caller's signal and the end of the session. */
  runOnce(run: SessionRun & { readonly signal: AbortSignal }): Promise<SessionExit>;
  /** Answers `LeanSession.goalsAt`. */
  goalsAt?(position: MessageEnd): Promise<string | null>;
  /** Ends the process that stays between runs. Resolves when it is gone. */
  end(): Promise<void>;
  /** Resolves when that process has ended for any reason. */
  readonly ended?: Promise<unknown>;
}

export function openSession(parts: SessionParts): LeanSession {
  const closing = new AbortController();
  let uses = 0;
  let alive = true;
  let running: Promise<unknown> | null = null;
  void parts.ended?.then(() => {
    alive = false;
  });

  async function runAndJudge(run: SessionRun): Promise<SessionExit> {
    const signal = run.signal === undefined ? closing.signal : AbortSignal.any([run.signal, closing.signal]);
    try {
      const exit = await parts.runOnce({ ...run, signal });
      if (exit.how !== 'finished') alive = false;
      return exit;
    } catch (error) {
      alive = false;
      throw error;
    }
  }

  return {
    header: parts.header,
    pid: parts.pid,
    get isAlive() {
      return alive;
    },
    get uses() {
      return uses;
    },
    residentBytes: parts.residentBytes,
    ...(parts.goalsAt === undefined ? {} : { goalsAt: parts.goalsAt }),
    async run(run) {
      run.signal?.throwIfAborted();
      if (running !== null) throw unusable('is running something else', 'Wait for its end, or lease another.');
      if (!alive) throw unusable('has ended', 'Open another.');
      uses += 1;
      const started = runAndJudge(run);
      running = started;
      try {
        return await started;
      } finally {
        running = null;
      }
    },
    async close() {
      alive = false;
      closing.abort(unusable('was closed', 'Open another.'));
      await running?.catch(() => {});
      await parts.end();
    },
  };
}

function unusable(what: string, advice: string): StpError {
  return new StpError('STP1203', `the Lean session ${what}`, advice);
}
