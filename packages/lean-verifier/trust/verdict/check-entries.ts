/**
 * Checks entries with the pool to the end, even if some of them damage a process. After a crash, a hang or too much
 * memory, the run continues after the entry in progress, and that entry is checked alone in a fresh process. An entry
 * that used up its heartbeats is tried once more under the big limits. A process that was killed from outside decides
 * nothing. Only entries that Lean could not check end as `infra`. Memory use is bounded, independent of the number of
 * entries.
 */
import type { LeanPool } from '../../runtime/pool/lean-pool.ts';
import { isKilledFromOutside, KILLS_MAX, STARTS_MAX, startPauseMs } from '../../runtime/process/its-own-end.ts';
import { hasDefinitions } from '../header.ts';
import { hasVariables } from '../stated-form.ts';
import type { BatchEntry } from './batch-source.ts';
import { type Backlog, openBacklog, type Task } from './check-backlog.ts';
import { type Flight, type Landing, launch } from './check-flight.ts';
import {
  endedEarly,
  type Finding,
  headerError,
  infra,
  note,
  notStarted,
  type Outcome,
  type Written,
} from './check-outcome.ts';
import type { Limits } from './limits.ts';
import type { BatchForm } from './run-batch.ts';

/** Tasks per process if a run has one entry, so that a task is ready when a process becomes free. */
const LOOKAHEAD = 2;

export interface CheckEntry extends BatchEntry {
  readonly header: string;
}

export interface EntryCheck {
  readonly pool: LeanPool;
  readonly small: Limits;
  readonly big: Limits;
  /** A proof that exceeds the small limits is a timeout at once. */
  readonly smallLimitsOnly: boolean;
  /** Check each entry alone in a fresh process under the big limits. */
  readonly alone: boolean;
  readonly entriesPerRun: number;
  readonly form: BatchForm;
  /** For runs that may write a module. Missing: none may. Entries that are checked alone always use `form`. */
  readonly written?: BatchForm | undefined;
  readonly signal: AbortSignal;
}

/**
 * Resolves when every entry has been settled once, in any order. Rejects with the signal's reason, with an error of the
 * source, or if the pool was closed, after all its runs have left the pool.
 */
export async function checkEntries<E extends CheckEntry>(
  check: EntryCheck,
  source: Iterable<E> | AsyncIterable<E>,
  settle: (entry: E, outcome: Outcome) => void,
): Promise<void> {
  return new EntriesCheck(check, settle).run(source);
}

type Costs = Pick<Outcome, 'checkMs' | 'queueMs' | 'peakResidentBytes'>;

/** The state of one call of `checkEntries`. */
class EntriesCheck<E extends CheckEntry> {
  readonly #check: EntryCheck;
  readonly #settle: (entry: E, outcome: Outcome) => void;
  readonly #runsMax: number;
  readonly #backlog: Backlog<E>;
  /** Header → the finding for every entry under it. */
  readonly #settled = new Map<string, Finding>();
  /** Headers under which something ran. */
  readonly #sound = new Set<string>();
  readonly #flights = new Set<Flight>();
  /** Header → tasks that wait until Lean is started again for it. */
  readonly #pauses = new Map<string, { readonly tasks: Task<E>[]; readonly timer: NodeJS.Timeout }>();
  #failure: { readonly error: unknown } | null = null;
  #onChange = (): void => {};

  constructor(check: EntryCheck, settle: (entry: E, outcome: Outcome) => void) {
    this.#check = check;
    this.#settle = settle;
    const { pool, entriesPerRun, form } = check;
    const { processes } = pool.stats();
    this.#runsMax = entriesPerRun === 1 ? LOOKAHEAD * processes : processes;
    const look = check.alone ? 'alone' : 'small';
    const { sharesNamespaces } = form;
    this.#backlog = openBacklog<E>({ entriesPerRun, runsMax: this.#runsMax, look, sharesNamespaces });
  }

  async run(source: Iterable<E> | AsyncIterable<E>): Promise<void> {
    const { signal } = this.#check;
    const onAbort = (): void => this.#fail(signal.reason);
    signal.addEventListener('abort', onAbort);
    await this.#takeAll(source).catch((error: unknown) => this.#fail(error));
    this.#backlog.complete();
    this.#pump();
    await this.#until(() => this.#flights.size === 0 && this.#pauses.size === 0 && this.#mayEnd);
    signal.removeEventListener('abort', onAbort);
    if (this.#failure !== null) throw this.#failure.error;
  }

  get #hasMoreHeartbeats(): boolean {
    const { small, big, smallLimitsOnly } = this.#check;
    return !smallLimitsOnly && big.heartbeatsMax > small.heartbeatsMax;
  }

  get #mayEnd(): boolean {
    return this.#backlog.isEmpty || this.#failure !== null;
  }

  get #isFull(): boolean {
    return this.#failure === null && (this.#backlog.isFull || this.#pauses.size > 0);
  }

  async #takeAll(source: Iterable<E> | AsyncIterable<E>): Promise<void> {
    this.#check.signal.throwIfAborted();
    for await (const entry of source) {
      this.#backlog.add(entry);
      this.#pump();
      if (this.#isFull) await this.#until(() => !this.#isFull);
      if (this.#failure !== null) break;
    }
  }

  #until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = () => {
        if (isSo()) resolve();
      };
      this.#onChange();
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    for (const { timer } of this.#pauses.values()) clearTimeout(timer);
    this.#pauses.clear();
    for (const flight of this.#flights) flight.stop(error);
    this.#onChange();
  }

  #finish(
    entry: E,
    finding: Finding | { kind: 'unrefuted'; axioms: readonly string[]; written?: Written },
    costs: Costs,
  ): void {
    this.#settle(entry, { ...finding, ...costs });
  }

  #finishAll(task: Task<E>, finding: Finding): void {
    for (const entry of task.entries) this.#finish(entry, finding, { checkMs: 0, queueMs: task.queueMs });
  }

  #pump(): void {
    try {
      this.#startWhatMay();
    } catch (error) {
      this.#fail(error);
    }
    this.#onChange();
  }

  #startWhatMay(): void {
    while (this.#failure === null && this.#flights.size < this.#runsMax) {
      const task = this.#backlog.take(this.#flights.size);
      if (task === null) break;
      const known = this.#settled.get(task.header);
      const paused = this.#pauses.get(task.header);
      if (known !== undefined) this.#finishAll(task, known);
      else if (paused !== undefined) paused.tasks.push(task);
      else this.#start(task);
    }
  }

  #start(task: Task<E>): void {
    const flight = launch(this.#check.pool, {
      header: task.header,
      entries: task.entries,
      limits: task.look === 'small' || this.#check.smallLimitsOnly ? this.#check.small : this.#check.big,
      fresh: task.look === 'alone',
      form: this.#formOf(task),
    });
    this.#flights.add(flight);
    void flight.landed
      .then((landing) => {
        this.#flights.delete(flight);
        if (this.#failure === null) this.#land({ ...task, queueMs: task.queueMs + landing.queueMs }, landing);
      })
      .catch((error: unknown) => {
        this.#flights.delete(flight);
        this.#fail(error);
      })
      .finally(() => this.#pump());
  }

  /**
   * Returns the form of a run. Under a header with variables Lean may silently omit a theorem, which only the form
   * without modules notices.
   */
  #formOf({ look, header }: Task<E>): BatchForm {
    const { form, written = form } = this.#check;
    return look === 'alone' || hasVariables(header) ? form : written;
  }

  #land(task: Task<E>, landing: Landing): void {
    switch (landing.kind) {
      case 'header_error':
        this.#badHeader(task, headerError(landing.messages));
        break;
      case 'no_start':
        this.#startAgain(task, notStarted(landing.exit, hasDefinitions(task.header)));
        break;
      case 'lost':
        this.#killed(task);
        break;
      case 'ran':
        this.#read(task, landing);
    }
  }

  /** Handles an error in a header that was imported before: its modules are unreadable now. */
  #badHeader(task: Task<E>, finding: Finding): void {
    if (this.#sound.has(task.header)) {
      this.#startAgain(task, infra(`the header is imported no longer: ${finding.messages[0]?.text ?? ''}`));
      return;
    }
    this.#settled.set(task.header, finding);
    this.#finishAll(task, finding);
  }

  /** Retries a task for which Lean did not start. If it keeps failing, all tasks under the same header fail. */
  #startAgain(task: Task<E>, finding: Finding): void {
    const starts = task.starts + 1;
    if (starts >= STARTS_MAX) {
      this.#settled.set(task.header, finding);
      this.#finishAll(task, finding);
      return;
    }
    const paused = this.#pauses.get(task.header);
    if (paused !== undefined) {
      paused.tasks.push({ ...task, starts });
      return;
    }
    const tasks = [{ ...task, starts }];
    const goOn = (): void => {
      this.#pauses.delete(task.header);
      for (const one of tasks) this.#backlog.again(one);
      this.#pump();
    };
    this.#pauses.set(task.header, { tasks, timer: setTimeout(goOn, startPauseMs(starts)) });
  }

  #killed(task: Task<E>): void {
    const kills = task.kills + 1;
    if (kills <= KILLS_MAX) this.#backlog.again({ ...task, kills });
    else if (task.entries.length === 1)
      this.#finishAll(task, infra(`Lean was killed ${kills} times by something else`));
    // The cause cannot be attributed, so each entry is checked alone.
    else for (const entry of task.entries) this.#backlog.again({ ...task, entries: [entry], look: 'alone', kills: 0 });
  }

  #read(task: Task<E>, ran: Extract<Landing, { kind: 'ran' }>): void {
    const { done, exit, module } = ran;
    this.#sound.add(task.header);
    const peak = task.entries.length === 1 && exit.peakResidentBytes > 0 ? exit.peakResidentBytes : undefined;
    const costs = (checkMs: number): Costs => ({
      checkMs,
      queueMs: task.queueMs,
      ...(peak === undefined ? {} : { peakResidentBytes: peak }),
    });
    for (const [index, { reading, checkMs }] of done.entries()) {
      const entry = task.entries[index]!;
      const alone = { ...task, entries: [entry], kills: 0, starts: 0 };
      if (reading.kind === 'unclear') {
        if (task.look !== 'alone') this.#backlog.again({ ...alone, look: 'alone' });
        else
          this.#finish(
            entry,
            { kind: 'rejected', messages: [note('its check theorem was not accepted')] },
            costs(checkMs),
          );
      } else if (reading.kind === 'timeout' && task.look === 'small' && this.#hasMoreHeartbeats) {
        this.#backlog.again({ ...alone, look: 'big' });
      } else {
        const written = module === undefined ? {} : { written: { module, index } };
        this.#finish(entry, reading.kind === 'unrefuted' ? { ...reading, ...written } : reading, costs(checkMs));
      }
    }
    const rest = task.entries.slice(done.length);
    if (rest.length === 0) return;
    if (isKilledFromOutside(exit)) {
      this.#killed({ ...task, entries: rest, kills: done.length > 0 ? 0 : task.kills });
      return;
    }
    // The process ended at this entry, which is checked alone. The rest continues in another process.
    const [at, ...others] = rest;
    const anew = { ...task, kills: 0, starts: 0 };
    if (others.length > 0) this.#backlog.again({ ...anew, entries: others });
    if (task.look === 'alone') this.#finish(at!, endedEarly(exit), costs(ran.elapsedMs));
    else this.#backlog.again({ ...anew, entries: [at!], look: 'alone' });
  }
}
