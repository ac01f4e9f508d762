/**
 * Keeps the sessions of a pool: which header each has imported, which session ends to make room for another, and how
 * many exist. A session is counted before its process starts and until its process is gone, so the limit is never
 * exceeded.
 */
import type { LeanDriver, LeanSession, Opened } from '../process/driver.ts';
import type { Request } from './waiting-list.ts';

/** The processes of all pools that share a host's memory. */
export interface HostProcesses {
  readonly all: Set<PoolProcess>;
  /** The ends of sessions whose capacity no new session has claimed yet. */
  readonly leaving: Set<Promise<void>>;
}

export const noProcesses = (): HostProcesses => ({ all: new Set(), leaving: new Set() });

export interface PoolProcess {
  /** The driver of the process's pool. Tasks of other pools cannot use the process. */
  readonly driver: LeanDriver;
  readonly header: string;
  state: 'busy' | 'idle' | 'warming';
  /** Null until its header is imported. */
  session: LeanSession | null;
  idleSince: number;
  /** Settles when the header is imported or its import has failed. */
  readonly opening: Promise<Opened>;
  /** Aborts the opening, whose promise then rejects with the reason. */
  readonly stop: AbortController;
}

export interface WarmProcessesOptions {
  readonly driver: LeanDriver;
  readonly memoryBytesMax: number;
  /**
   * Maximum number of sessions, including those of other pools on the host. It must exceed the number of busy ones:
   * `take` relies on that.
   */
  readonly sessionsMax: number;
  readonly host: HostProcesses;
  /** Called when a process has ended and its capacity is free. */
  readonly onGone: () => void;
  /** Called when a spare process is open, or could not be opened. */
  readonly onWarmed: (header: string, opened: boolean) => void;
}

export class WarmProcesses {
  readonly #options: WarmProcessesOptions;
  #started = 0;

  constructor(options: WarmProcessesOptions) {
    this.#options = options;
  }

  /** Number of sessions that were opened, including failed attempts. */
  get started(): number {
    return this.#started;
  }

  /** Finds and removes sessions that died while idle. */
  sweep(): void {
    for (const process of this.#own())
      if (process.state === 'idle' && !process.session!.isAlive) void this.end(process);
  }

  /** Returns the cost of serving this request now, for the waiting list. */
  price(request: Request): 'none' | 'process' | 'eviction' {
    if (this.#warmMatch(request) !== undefined) return 'none';
    const { leaving } = this.#options.host;
    return this.#isRoom() || leaving.size > 0 || this.#warmingMatch(request) !== undefined ? 'process' : 'eviction';
  }

  /**
   * Returns a process for the request, with state `busy`: a warm one, or a new one, for which the process that was idle
   * longest may be ended.
   */
  take(request: Request): { readonly process: PoolProcess; readonly isWarm: boolean } {
    const warm = this.#warmMatch(request);
    const process = warm ?? this.#warmingMatch(request) ?? this.#open(request.header, 'busy', this.#makeRoom());
    process.state = 'busy';
    return { process, isWarm: warm !== undefined };
  }

  giveBack(process: PoolProcess): void {
    process.state = 'idle';
    process.idleSince = performance.now();
  }

  /** Ends a process. Its capacity is free once it is gone. */
  end(process: PoolProcess): Promise<void> {
    const { all, leaving } = this.#options.host;
    if (!all.delete(process)) return Promise.resolve();
    const gone = shut(process);
    leaving.add(gone);
    return gone.then(() => {
      if (leaving.delete(gone)) this.#options.onGone();
    });
  }

  /** Opens a spare session with this header, if there is room and no other spare is opening. */
  warm(header: string): void {
    if (!this.#isRoom() || this.#own().some(({ state }) => state === 'warming')) return;
    const process = this.#open(header, 'warming', Promise.resolve());
    process.opening.then(
      ({ kind }) => this.#settle(process, kind === 'open'),
      () => this.#settle(process, false),
    );
  }

  /** Counts the unused processes with this header: idle, or being opened without a request. */
  spares(header: string): number {
    return this.#own()
      .filter((process) => process.header === header)
      .filter(({ state, session }) => state === 'warming' || (state === 'idle' && session!.uses === 0)).length;
  }

  async endAll(): Promise<void> {
    const { leaving } = this.#options.host;
    await Promise.all([...this.#own().map((process) => this.end(process)), ...leaving]);
  }

  #own(): PoolProcess[] {
    return [...this.#options.host.all].filter((process) => process.driver === this.#options.driver);
  }

  #isRoom(): boolean {
    const { all, leaving } = this.#options.host;
    return all.size + leaving.size < this.#options.sessionsMax;
  }

  #open(header: string, state: 'busy' | 'warming', after: Promise<void>): PoolProcess {
    const { driver, memoryBytesMax, host } = this.#options;
    const stop = new AbortController();
    const opening = after.then(() => {
      stop.signal.throwIfAborted();
      this.#started += 1;
      return driver.open(header, { signal: stop.signal, memoryBytesMax });
    });
    const process: PoolProcess = { driver, header, state, session: null, idleSince: 0, opening, stop };
    opening.then(
      (opened) => {
        if (opened.kind === 'open') process.session = opened.session;
      },
      () => {}, // The lease that waits for it rejects.
    );
    host.all.add(process);
    return process;
  }

  #settle(process: PoolProcess, isOpen: boolean): void {
    // A request took the process meanwhile and now owns it.
    if (process.state !== 'warming' || !this.#options.host.all.has(process)) return;
    if (isOpen) this.giveBack(process);
    else void this.end(process);
    this.#options.onWarmed(process.header, isOpen);
  }

  #warmMatch({ header, fresh }: Request): PoolProcess | undefined {
    const matches = this.#own().filter(
      (process) => process.state === 'idle' && process.header === header && process.session!.isAlive,
    );
    // Keep unused processes for requests that need a fresh one. Of the others take the last used: its memory is still
    // in the processor's caches.
    const unused = matches.find(({ session }) => session!.uses === 0);
    if (fresh) return unused;
    const used = matches.filter((process) => process !== unused);
    return used.toSorted((left, right) => right.idleSince - left.idleSince)[0] ?? unused;
  }

  #warmingMatch({ header }: Request): PoolProcess | undefined {
    return this.#own().find((process) => process.state === 'warming' && process.header === header);
  }

  /** Makes room for one more session by ending the session that is idle longest or, if none is idle, a spare one. */
  #makeRoom(): Promise<void> {
    if (this.#isRoom()) return Promise.resolve();
    const { all, leaving } = this.#options.host;
    for (const gone of leaving) {
      leaving.delete(gone);
      return gone;
    }
    const idle = [...all].filter(({ state }) => state === 'idle');
    const victim =
      idle.toSorted((left, right) => left.idleSince - right.idleSince)[0] ??
      all.values().find(({ state }) => state === 'warming')!;
    all.delete(victim);
    return shut(victim);
  }
}

async function shut(process: PoolProcess): Promise<void> {
  process.stop.abort(new Error('the process is ended'));
  const opened = await process.opening.catch(() => null);
  if (opened?.kind === 'open') await opened.session.close().catch(() => {});
}
