/**
 * Warm Lean processes for suggestions: chooses the process that reads a file, reserves it, and keeps positions open
 * between requests.
 */
import { Semaphore } from '@stp/base';
import {
  type FilePositionsOptions,
  importsOf,
  type OpenedPosition,
  openFilePositions,
  type StepOptions,
} from '@stp/lean-explore';

/**
 * Maximum open positions per process. Their states are text, which Lean reads again if it has read another text since.
 */
const POSITIONS_MAX = 32;
/**
 * How many more requests must wait at a process before a text with other imports goes to another one, which would have
 * to restart.
 */
const OTHER_IMPORTS = 8;
/** The same for a text that the process has read: a small lead, which keeps the goals of a file at one process. */
const READ_BEFORE = 1.5;
/** Maximum processes tried for a step, in case something else ends them. */
const TRIES = 3;

export interface LeanPosition {
  /**
   * Runs `work` without steps of other callers in between. Rejects with the signal's reason if that aborts before
   * `work` begins.
   */
  exclusive<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Opens the position once. To be called within `exclusive`. */
  open(options: StepOptions): Promise<OpenedPosition>;
}

export interface LeanPositions {
  /**
   * Returns the position at the end of a text, at the process that can open it soonest: it may have read the text, or
   * its imports.
   */
  pick(above: string): LeanPosition;
  close(): Promise<void>;
}

export function openLeanPositions(processes: number, options: FilePositionsOptions): LeanPositions {
  const workers = Array.from({ length: processes }, () => ({
    files: openFilePositions(options),
    permits: new Semaphore(),
    opened: new Map<string, OpenedPosition>(),
    imports: null as string | null,
    waiting: 0,
  }));

  function positionIn(worker: (typeof workers)[number], above: string): LeanPosition {
    return {
      async exclusive(work, signal) {
        worker.waiting += 1;
        try {
          return await worker.permits.run(1, work, signal);
        } finally {
          worker.waiting -= 1;
        }
      },
      async open(limits) {
        const known = worker.opened.get(above);
        worker.opened.delete(above);
        const opened = known ?? (await retried(() => worker.files.openAt(above, limits)));
        if (opened.kind === 'open') worker.opened.set(above, opened);
        if (worker.opened.size > POSITIONS_MAX) worker.opened.delete(worker.opened.keys().next().value!);
        return opened;
      },
    };
  }

  return {
    pick(above) {
      const imports = importsOf(above);
      const effort = (one: (typeof workers)[number]): number =>
        one.waiting +
        (one.imports === null || one.imports === imports ? 0 : OTHER_IMPORTS) -
        (one.opened.has(above) ? READ_BEFORE : 0);
      const best = workers.reduce((least, one) => (effort(one) < effort(least) ? one : least));
      best.imports = imports;
      return positionIn(best, above);
    },
    async close() {
      await Promise.all(workers.map(({ files }) => files.close()));
    },
  };
}

/** Repeats the work in a new process if something else has ended the process. */
export async function retried<T extends { readonly kind: string; readonly why?: string }>(
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const result = await work();
    if (result.why !== 'infra' || tries === TRIES) return result;
  }
}
