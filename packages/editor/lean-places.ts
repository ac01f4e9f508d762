/** Warm Lean processes for suggestions: which one reads a file, turns at it, and places that stay open between turns. */
import { Semaphore } from '@stp/base';
import {
  type FilePlacesOptions,
  importsOf,
  type OpenedPlace,
  openFilePlaces,
  type StepOptions,
} from '@stp/lean-explore';

/** Places that are kept open, of each process. Their states are text; Lean reads it anew where it has read another since. */
const PLACES_MAX = 32;
/** Requests that a process would have to be behind another before a text with other imports is given to it: it would start anew. */
const OTHER_IMPORTS = 8;
/** The same for a text that it has read: a small lead, which keeps the goals of one file with one process. */
const READ_BEFORE = 1.5;
/** Processes tried for one step, in case something else ends them. */
const TRIES = 3;

export interface LeanPlace {
  /** Runs `work` without another's steps between its own; rejects with the signal's reason before its turn. */
  turn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** The place, opened once. Within a turn. */
  open(options: StepOptions): Promise<OpenedPlace>;
}

export interface LeanPlaces {
  /** The place below a text, at the process that has the least to do until it is there: it may have read the text, or its imports. */
  pick(above: string): LeanPlace;
  close(): Promise<void>;
}

export function openLeanPlaces(processes: number, options: FilePlacesOptions): LeanPlaces {
  const workers = Array.from({ length: processes }, () => ({
    files: openFilePlaces(options),
    turns: new Semaphore(),
    opened: new Map<string, OpenedPlace>(),
    imports: null as string | null,
    waiting: 0,
  }));

  function place(worker: (typeof workers)[number], above: string): LeanPlace {
    return {
      async turn(work, signal) {
        worker.waiting += 1;
        try {
          return await worker.turns.run(1, work, signal);
        } finally {
          worker.waiting -= 1;
        }
      },
      async open(limits) {
        const known = worker.opened.get(above);
        worker.opened.delete(above);
        const opened = known ?? (await retried(() => worker.files.openAt(above, limits)));
        if (opened.kind === 'open') worker.opened.set(above, opened);
        if (worker.opened.size > PLACES_MAX) worker.opened.delete(worker.opened.keys().next().value!);
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
      return place(best, above);
    },
    async close() {
      await Promise.all(workers.map(({ files }) => files.close()));
    },
  };
}

/** Tries again in a new process if something else has ended the process. */
export async function retried<T extends { readonly kind: string; readonly why?: string }>(
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const result = await work();
    if (result.why !== 'infra' || tries === TRIES) return result;
  }
}
