/**
 * A driver without Lean: a comment in each proof says what its run does and how long it takes on the clock of the
 * test's (fake) timers. The driver counts live sessions and running work, so that tests can check the pool.
 *
 *     -- ok 15          proved after 15 ms
 *     -- wrong 15       an error after 15 ms
 *     -- big 15         uses up its heartbeats after 15 ms, except under the big limits
 *     -- crash 15       the process crashes
 *     -- memory 15      the process is ended for its memory
 *     -- hang 0         the process is ended at its deadline
 *     -- ends 15        the process ends by itself, and the text below is not read
 *     -- lacks 15       the same, and the process reports that something could not be done
 *     -- poison 15      proved after 15 ms, but the next text in the same process crashes it
 *
 * A header that contains `bad` has errors. With `dead` the process ends while it imports the header. With `fades` the
 * header has errors from the third process on.
 */
import { StpError } from '@stp/base';
import type { LeanDriver, LeanSession, Opened, SessionExit, SessionRun } from '../runtime/process/driver.ts';
import type { LeanExit } from '../runtime/process/spawn.ts';
import { elapse } from './simulated-time.ts';

export interface ScriptedDriver extends LeanDriver {
  /** Sessions that are opening, open, or closing; with real Lean each would be a process. */
  readonly live: ReadonlySet<ScriptedSession>;
  running(): number;
  /** Whether two actions ever overlapped in one session. */
  readonly overlapped: boolean;
  opened: number;
}

export interface ScriptedSession extends LeanSession {
  /** Simulates a kill from outside. */
  kill(): void;
  grow(residentBytes: number): void;
}

export interface ScriptedOptions {
  readonly candidatesPerRun: number;
  readonly openMs: number;
  /** Time between closing a session and the end of its process, ms. */
  readonly closeMs: number;
  /** Processor time as a share of wall time. Missing: the driver reports none. */
  readonly pace?: number;
}

type End =
  | { readonly how: LeanExit['how']; readonly signal?: NodeJS.Signals; readonly stderr?: string }
  | { readonly error: unknown };

const HEARTBEATS_USED = '(deterministic) timeout at `whnf`, maximum number of heartbeats (1000) has been reached';

export function scriptedDriver(options: ScriptedOptions): ScriptedDriver {
  const live = new Set<ScriptedSession>();
  let running = 0;
  let overlapped = false;

  function session(header: string): ScriptedSession {
    let alive = true;
    let uses = 0;
    let resident = 0;
    let poisoned = false;
    let interrupt: ((end: End) => void) | null = null;

    async function leave(): Promise<void> {
      alive = false;
      if (live.has(self)) await elapse(options.closeMs);
      live.delete(self);
    }

    async function perform(run: SessionRun, isOver: () => boolean): Promise<End> {
      const start = header.split('\n').length + 1;
      const isBig = !run.body.includes('maxHeartbeats 1000\n');
      let [action, ms] = ['ok', 0];
      let allowedMs = run.deadlineMs;
      const say = (severity: 'error' | 'information', line: number, text: string): void => {
        if (isOver()) return;
        run.onMessage({ severity, line, column: 0, text }, (allowed) => {
          allowedMs = allowed;
        });
      };
      for (const [index, text] of run.body.split('\n').entries()) {
        const line = start + index;
        const script = /-- ([a-z]+) (\d+)/.exec(text);
        if (script !== null) [action, ms] = [script[1]!, Number(script[2])];
        if (text === '#print "header done"') say('information', line, 'header done');
        const check = text === '#print "entry done"' ? 'entry' : /^#print axioms (\S+)/.exec(text)?.[1];
        if (check === undefined) continue;
        if (poisoned) return { how: 'crashed', signal: 'SIGSEGV' };
        if (action === 'hang') {
          await elapse(allowedMs);
          return { how: 'deadline' };
        }
        await elapse(ms);
        if (action === 'crash') return { how: 'crashed', signal: 'SIGSEGV' };
        if (action === 'memory') return { how: 'memory' };
        if (action === 'ends') return { how: 'finished' };
        if (action === 'lacks')
          return { how: 'finished', stderr: 'uncaught exception: resource temporarily unavailable' };
        if (action === 'wrong') say('error', line - 2, 'unknown tactic');
        if (action === 'big' && !isBig) say('error', line - 2, HEARTBEATS_USED);
        poisoned = action === 'poison';
        say('information', line, `'${check}' does not depend on any axioms`);
      }
      return { how: 'finished' };
    }

    const self: ScriptedSession = {
      header,
      pid: options.candidatesPerRun === 1 ? 1 : null,
      get isAlive() {
        return alive;
      },
      get uses() {
        return uses;
      },
      residentBytes: async () => resident,
      grow(bytes) {
        resident = bytes;
      },
      kill() {
        if (interrupt !== null) interrupt({ how: 'crashed', signal: 'SIGKILL' });
        else void leave();
      },
      async run(run) {
        run.signal?.throwIfAborted();
        if (!alive) throw new StpError('STP1203', 'the session has ended', 'Open another.');
        if (interrupt !== null) overlapped = true;
        uses += 1;
        running += 1;
        const beganAt = performance.now();
        const onAbort = (): void => interrupt?.({ error: run.signal!.reason });
        run.signal?.addEventListener('abort', onAbort);
        const interrupted = new Promise<End>((resolve) => {
          interrupt = resolve;
        });
        let over = false;
        const end = await Promise.race([perform(run, () => over), interrupted]);
        over = true;
        interrupt = null;
        run.signal?.removeEventListener('abort', onAbort);
        if (!('how' in end) || end.how !== 'finished') await leave();
        // A batch has a process of its own, so its after-effects end with it.
        if (options.candidatesPerRun > 1) poisoned = false;
        running -= 1;
        if ('error' in end) throw end.error;
        const { how, signal = null, stderr = '' } = end;
        return {
          how,
          code: how === 'finished' ? 0 : null,
          signal,
          stderr,
          cpuMs: (options.pace ?? 0) * (performance.now() - beganAt),
          peakResidentBytes: 0,
        } satisfies SessionExit;
      },
      async close() {
        interrupt?.({ error: new StpError('STP1203', 'the session was closed', 'Open another.') });
        await leave();
      },
    };
    return self;
  }

  return {
    name: options.candidatesPerRun === 1 ? 'server' : 'json',
    candidatesPerRun: options.candidatesPerRun,
    live,
    running: () => running,
    get overlapped() {
      return overlapped;
    },
    opened: 0,
    async open(header, { signal }): Promise<Opened> {
      signal?.throwIfAborted();
      this.opened += 1;
      const own = session(header);
      live.add(own);
      let onAbort = (): void => {};
      const aborted = new Promise<void>((resolve) => {
        onAbort = resolve;
        signal?.addEventListener('abort', onAbort);
      });
      await Promise.race([elapse(options.openMs), aborted]);
      signal?.removeEventListener('abort', onAbort);
      const isBad = header.includes('bad') || (header.includes('fades') && this.opened > 2);
      if (!signal?.aborted && !isBad && !header.includes('dead') && own.isAlive) {
        return { kind: 'open', session: own, headerMs: options.openMs };
      }
      await own.close();
      signal?.throwIfAborted();
      if (isBad) {
        return { kind: 'header_error', messages: [{ severity: 'error', line: 1, column: 0, text: 'no such module' }] };
      }
      const [code, by] = header.includes('dead') ? [3, null] : [null, 'SIGKILL' as const];
      return { kind: 'no_start', exit: { how: 'crashed', code, signal: by, stderr: '' } };
    },
  };
}
