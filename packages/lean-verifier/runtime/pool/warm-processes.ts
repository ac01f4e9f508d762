/**
 * The sessions of a pool: which ones are warm with which header, which one ends to make room for another, and how many
 * there are at once. Code takes a place before it waits for anything, so there are never more sessions than the limit,
 * including those that are starting or ending.
 */
import type { LeanDriver, LeanSession, Opened } from '../process/driver.ts';
import type { Request } from './waiting-list.ts';

/** The processes of all pools that share a host's memory. */
export interface HostProcesses {
  readonly all: Set<PoolProcess>;
  /** Promises of the ending sessions whose room is not yet taken over. */
  readonly leaving: Set<Promise<void>>;
}

export const noProcesses = (): HostProcesses => ({ all: new Set(), leaving: new Set() });

export interface PoolProcess {
  /** That of its pool: no other pool's task gets it. */
  readonly driver: LeanDriver;
  readonly header: string;
  state: 'busy' | 'idle' | 'warming';
  /** Null until its header is imported. */
  session: LeanSession | null;
  idleSince: number;
  /** Settles when the header is imported or could not be. */
  readonly opening: Promise<Opened>;
  /** Ends the opening, whose promise rejects with the reason. */
  readonly stop: AbortController;
}

export interface WarmProcesses {
  /** Finds a session that died while it was idle, and removes it. */
  sweep(): void;
  /** The cost of serving this request now, as the waiting list asks. */
  price(request: Request): 'none' | 'process' | 'eviction';
  /** A process for the request, its state `busy`: a warm one, else one that is being opened, for which the longest idle may end. */
  take(request: Request): { readonly process: PoolProcess; readonly isWarm: boolean };
  /** Back to the idle ones. */
  giveBack(process: PoolProcess): void;
  /** Ends a process; its place is free when it is gone. */
  end(process: PoolProcess): Promise<void>;
  /** Opens a spare session with this header, if there is room and no other spare is opening. */
  warm(header: string): void;
  /** Returns the number of processes with this header that are unused, idle or being opened without a request. */
  spares(header: string): number;
  /** Sessions that were opened, or tried to be. */
  started(): number;
  endAll(): Promise<void>;
}

export interface WarmProcessesOptions {
  readonly driver: LeanDriver;
  readonly memoryBytesMax: number;
  /** Sessions at once, those of other pools on the host included. More than ever are busy at once: `take` is called only then. */
  readonly sessionsMax: number;
  readonly host: HostProcesses;
  /** The room of a process that ended is free. */
  readonly onGone: () => void;
  /** A spare process is open, or could not be opened. */
  readonly onWarmed: (header: string, opened: boolean) => void;
}

export function openWarmProcesses(options: WarmProcessesOptions): WarmProcesses {
  const { driver, memoryBytesMax, sessionsMax } = options;
  const { all, leaving } = options.host;
  let startedCount = 0;

  const own = (): PoolProcess[] => [...all].filter((process) => process.driver === driver);

  const isRoom = (): boolean => all.size + leaving.size < sessionsMax;

  function open(header: string, state: 'busy' | 'warming', after: Promise<void>): PoolProcess {
    const stop = new AbortController();
    const opening = after.then(() => {
      stop.signal.throwIfAborted();
      startedCount += 1;
      return driver.open(header, { signal: stop.signal, memoryBytesMax });
    });
    const process: PoolProcess = { driver, header, state, session: null, idleSince: 0, opening, stop };
    opening.then(
      (opened) => {
        if (opened.kind === 'open') process.session = opened.session;
      },
      () => {}, // The lease that waits for it rejects.
    );
    all.add(process);
    return process;
  }

  async function shut(process: PoolProcess): Promise<void> {
    process.stop.abort(new Error('the process is ended'));
    const opened = await process.opening.catch(() => null);
    if (opened?.kind === 'open') await opened.session.close().catch(() => {});
  }

  function end(process: PoolProcess): Promise<void> {
    if (!all.delete(process)) return Promise.resolve();
    const gone = shut(process);
    leaving.add(gone);
    return gone.then(() => {
      if (leaving.delete(gone)) options.onGone();
    });
  }

  function warmMatch({ header, fresh }: Request): PoolProcess | undefined {
    const matches = own().filter(
      (process) => process.state === 'idle' && process.header === header && process.session!.isAlive,
    );
    // The unused are kept for those who need one; of the others the last used, whose memory is still in the caches.
    const unused = matches.find(({ session }) => session!.uses === 0);
    if (fresh) return unused;
    const used = matches.filter((process) => process !== unused);
    return used.toSorted((left, right) => right.idleSince - left.idleSince)[0] ?? unused;
  }

  const warmingMatch = ({ header }: Request): PoolProcess | undefined =>
    own().find((process) => process.state === 'warming' && process.header === header);

  /** Makes room for one more by ending the one that is idle longest or, if none is idle, a spare one. */
  function makeRoom(): Promise<void> {
    if (isRoom()) return Promise.resolve();
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

  return {
    sweep() {
      for (const process of own()) if (process.state === 'idle' && !process.session!.isAlive) void end(process);
    },
    price(request) {
      if (warmMatch(request) !== undefined) return 'none';
      return isRoom() || leaving.size > 0 || warmingMatch(request) !== undefined ? 'process' : 'eviction';
    },
    take(request) {
      const warm = warmMatch(request);
      const process = warm ?? warmingMatch(request) ?? open(request.header, 'busy', makeRoom());
      process.state = 'busy';
      return { process, isWarm: warm !== undefined };
    },
    giveBack(process) {
      process.state = 'idle';
      process.idleSince = performance.now();
    },
    end,
    warm(header) {
      if (!isRoom() || own().some(({ state }) => state === 'warming')) return;
      const process = open(header, 'warming', Promise.resolve());
      const settled = (opened: boolean): void => {
        // Taken meanwhile: it is the taker's.
        if (process.state !== 'warming' || !all.has(process)) return;
        if (opened) this.giveBack(process);
        else void end(process);
        options.onWarmed(header, opened);
      };
      process.opening.then(
        ({ kind }) => settled(kind === 'open'),
        () => settled(false),
      );
    },
    spares: (header) =>
      own()
        .filter((process) => process.header === header)
        .filter(({ state, session }) => state === 'warming' || (state === 'idle' && session!.uses === 0)).length,
    started: () => startedCount,
    async endAll() {
      await Promise.all([...own().map(end), ...leaving]);
    },
  };
}
