/**
 * Checks entries to the end over the pool, even if some of them damage a process. After a crash, a hang or too much
 * memory a run continues after the entry in question, and that entry is checked alone in a fresh process. An entry that
 * used up its heartbeats is tried once more under the big limits. A process that was killed from outside decides
 * nothing. Only entries about which Lean could not be asked end as `infra`. Holds a bounded number of entries,
 * independent of how many arrive.
 */
import type { LeanPool } from '../../runtime/pool/lean-pool.ts';
import { isKilledFromOutside, KILLS_MAX, STARTS_MAX, startPauseMs } from '../../runtime/process/its-own-end.ts';
import type { BatchEntry } from './batch-source.ts';
import { openBacklog, type Task } from './check-backlog.ts';
import { type Flight, type Landing, launch } from './check-flight.ts';
import { endedEarly, type Finding, headerError, infra, note, notStarted, type Outcome } from './check-outcome.ts';
import { type CheckTimes, speculate } from './check-speculation.ts';
import type { Limits } from './limits.ts';
import type { BatchForm } from './run-batch.ts';

/** Entries wait for their turn twice as many as run, so that one is ready when a process is. */
const LOOKAHEAD = 2;
/** How often it is looked whether a check takes long while processes are idle, ms. */
const SPECULATION_LOOK_MS = 100;

export interface CheckEntry extends BatchEntry {
  readonly header: string;
}

export interface EntryCheck {
  readonly pool: LeanPool;
  readonly small: Limits;
  readonly big: Limits;
  /** What exceeds the small limits is a timeout at once. */
  readonly smallLimitsOnly: boolean;
  /** Every entry by itself in a process that has checked nothing yet, under the big limits. */
  readonly alone: boolean;
  /** Entries of one run at most. */
  readonly entriesPerRun: number;
  /** How long checks took: shared by all checks of a verifier. */
  readonly times: CheckTimes;
  readonly form: BatchForm;
  readonly signal: AbortSignal;
}

/**
 * Resolves when every entry has been settled, each once, in any order. Rejects with the signal's reason, with what the source
 * throws, or where the pool was closed; no run is left in the pool then.
 */
export async function checkEntries<E extends CheckEntry>(
  check: EntryCheck,
  source: Iterable<E> | AsyncIterable<E>,
  settle: (entry: E, outcome: Outcome) => void,
): Promise<void> {
  const { pool, signal, entriesPerRun, times } = check;
  const { processes } = pool.stats();
  const runsMax = entriesPerRun === 1 ? LOOKAHEAD * processes : processes;
  const backlog = openBacklog<E>({ entriesPerRun, runsMax, look: check.alone ? 'alone' : 'small' });
  /** Header → the result of every entry under it. */
  const settled = new Map<string, Finding>();
  /** Headers under which something ran. */
  const sound = new Set<string>();
  /** The flights that have not ended, and how many of them have no result yet. */
  const flights = new Set<Flight>();
  let inFlight = 0;
  /** Header → what waits until Lean is started for it once more. */
  const pauses = new Map<string, { readonly tasks: Task<E>[]; readonly timer: NodeJS.Timeout }>();
  let failure: { readonly error: unknown } | null = null;
  let onChange = (): void => {};

  function fail(error: unknown): void {
    failure ??= { error };
    for (const { timer } of pauses.values()) clearTimeout(timer);
    pauses.clear();
    for (const flight of flights) flight.stop(error);
    onChange();
  }

  function finish(entry: E, finding: Finding | { kind: 'unrefuted'; axioms: readonly string[] }, costs: Costs): void {
    settle(entry, { ...finding, ...costs });
  }

  function finishAll(task: Task<E>, finding: Finding): void {
    for (const entry of task.entries) finish(entry, finding, { checkMs: 0, queueMs: task.queueMs });
  }

  function pump(): void {
    try {
      startWhatMay();
    } catch (error) {
      fail(error);
    }
    onChange();
  }

  function startWhatMay(): void {
    while (failure === null && inFlight < runsMax) {
      const task = backlog.take(inFlight);
      if (task === null) break;
      const known = settled.get(task.header);
      const paused = pauses.get(task.header);
      if (known !== undefined) finishAll(task, known);
      else if (paused !== undefined) paused.tasks.push(task);
      else start(task);
    }
  }

  function start(task: Task<E>): void {
    inFlight += 1;
    const flight = launch(
      pool,
      {
        header: task.header,
        entries: task.entries,
        limits: task.look === 'small' || check.smallLimitsOnly ? check.small : check.big,
        fresh: task.look === 'alone',
        form: check.form,
      },
      (landing) => {
        inFlight -= 1;
        if ('error' in landing) return fail(landing.error);
        try {
          land({ ...task, queueMs: task.queueMs + landing.queueMs }, landing);
        } catch (error) {
          return fail(error);
        }
        pump();
      },
      () => {
        flights.delete(flight);
        onChange();
      },
    );
    flights.add(flight);
  }

  function land(task: Task<E>, landing: Landing): void {
    switch (landing.kind) {
      case 'header_error':
        badHeader(task, headerError(landing.messages));
        break;
      case 'no_start':
        startAgain(task, notStarted(landing.exit));
        break;
      case 'lost':
        killed(task);
        break;
      case 'ran':
        read(task, landing);
    }
  }

  /** What was imported a moment ago has not become wrong: its modules cannot be read now. */
  function badHeader(task: Task<E>, finding: Finding): void {
    if (sound.has(task.header)) {
      startAgain(task, infra(`the header is imported no longer: ${finding.messages[0]?.text ?? ''}`));
      return;
    }
    settled.set(task.header, finding);
    finishAll(task, finding);
  }

  /** Where Lean does not start for one, it will not for the others under the same header. */
  function startAgain(task: Task<E>, finding: Finding): void {
    const starts = task.starts + 1;
    if (starts >= STARTS_MAX) {
      settled.set(task.header, finding);
      finishAll(task, finding);
      return;
    }
    const paused = pauses.get(task.header);
    if (paused !== undefined) {
      paused.tasks.push({ ...task, starts });
      return;
    }
    const tasks = [{ ...task, starts }];
    const goOn = (): void => {
      pauses.delete(task.header);
      for (const one of tasks) backlog.again(one);
      pump();
    };
    pauses.set(task.header, { tasks, timer: setTimeout(goOn, startPauseMs(starts)) });
  }

  function killed(task: Task<E>): void {
    const kills = task.kills + 1;
    if (kills <= KILLS_MAX) backlog.again({ ...task, kills });
    else if (task.entries.length === 1) finishAll(task, infra(`Lean was killed ${kills} times by something else`));
    // The cause cannot be assigned to one entry, so each continues by itself.
    else for (const entry of task.entries) backlog.again({ ...task, entries: [entry], look: 'alone', kills: 0 });
  }

  function read(task: Task<E>, ran: Extract<Landing, { kind: 'ran' }>): void {
    const { done, exit } = ran;
    sound.add(task.header);
    const peak = task.entries.length === 1 && exit.peakResidentBytes > 0 ? exit.peakResidentBytes : undefined;
    const costs = (checkMs: number): Costs => ({
      checkMs,
      queueMs: task.queueMs,
      ...(peak === undefined ? {} : { peakResidentBytes: peak }),
    });
    for (const [index, { reading, checkMs }] of done.entries()) {
      times.add(checkMs);
      const entry = task.entries[index]!;
      const alone = { ...task, entries: [entry], kills: 0, starts: 0 };
      if (reading.kind === 'unclear') {
        if (task.look !== 'alone') backlog.again({ ...alone, look: 'alone' });
        else
          finish(entry, { kind: 'rejected', messages: [note('its check theorem was not accepted')] }, costs(checkMs));
      } else if (reading.kind === 'timeout' && task.look === 'small' && !check.smallLimitsOnly) {
        backlog.again({ ...alone, look: 'big' });
      } else finish(entry, reading, costs(checkMs));
    }
    const rest = task.entries.slice(done.length);
    if (rest.length === 0) return;
    if (isKilledFromOutside(exit)) {
      killed({ ...task, entries: rest, kills: done.length > 0 ? 0 : task.kills });
      return;
    }
    // The process ended at this entry: it is checked alone, and the rest continues in another process.
    const [at, ...others] = rest;
    const anew = { ...task, kills: 0, starts: 0 };
    if (others.length > 0) backlog.again({ ...anew, entries: others });
    if (task.look === 'alone') finish(at!, endedEarly(exit), costs(ran.elapsedMs));
    else backlog.again({ ...anew, entries: [at!], look: 'alone' });
  }

  const onAbort = (): void => fail(signal.reason);
  signal.addEventListener('abort', onAbort);
  const looking = setInterval(() => {
    if (backlog.isEmpty) speculate(pool, flights, times);
  }, SPECULATION_LOOK_MS);
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      onChange = () => {
        if (isSo()) resolve();
      };
      onChange();
    });
  try {
    signal.throwIfAborted();
    for await (const entry of source) {
      backlog.add(entry);
      pump();
      if (failure !== null) break;
      const isFull = (): boolean => backlog.isFull || pauses.size > 0;
      if (isFull()) await until(() => !isFull() || failure !== null);
    }
  } catch (error) {
    fail(error);
  }
  backlog.complete();
  pump();
  await until(() => flights.size === 0 && pauses.size === 0 && (backlog.isEmpty || failure !== null));
  clearInterval(looking);
  signal.removeEventListener('abort', onAbort);
  if (failure !== null) throw (failure as { error: unknown }).error;
}

type Costs = Pick<Outcome, 'checkMs' | 'queueMs' | 'peakResidentBytes'>;
