/** The work still to do: new entries by header, and pieces of work that were returned. */
import type { CheckEntry } from './check-entries.ts';

/** `small`: in a warm process under the small limits. `big`: the same under the big ones. `alone`: fresh, under the big ones. */
export type Look = 'small' | 'big' | 'alone';

export interface Task<E> {
  readonly header: string;
  readonly entries: readonly E[];
  readonly look: Look;
  /** How often in a row Lean ended before it read any candidate's text, and how often it was killed from outside. */
  readonly starts: number;
  readonly kills: number;
  /** Waited for a process so far, ms. */
  readonly queueMs: number;
}

export interface Backlog<E> {
  /** Whether nothing is left, and nothing comes any more but what comes back. */
  readonly isEmpty: boolean;
  /** As much waits as is of use: add no more. */
  readonly isFull: boolean;
  add(entry: E): void;
  /** No entry comes any more. */
  complete(): void;
  /** Comes before the new ones: what comes back takes longest. */
  again(task: Task<E>): void;
  /** The next piece; null where nothing waits, or too little to make a good piece. */
  take(inFlight: number): Task<E> | null;
}

export function openBacklog<E extends CheckEntry>(options: {
  readonly entriesPerRun: number;
  /** Pieces in progress at once. */
  readonly runsMax: number;
  readonly look: Look;
}): Backlog<E> {
  const { runsMax, look } = options;
  const entriesPerRun = look === 'alone' ? 1 : options.entriesPerRun;
  /** Enough that every run is full; what waits is at most twice that. */
  const enough = entriesPerRun === 1 ? 1 : entriesPerRun * runsMax;
  const byHeader = new Map<string, E[]>();
  const back: Task<E>[] = [];
  let waiting = 0;
  let complete = false;

  return {
    get isEmpty() {
      return complete && waiting === 0 && back.length === 0;
    },
    get isFull() {
      return waiting >= 2 * Math.max(enough, runsMax);
    },
    add(entry) {
      waiting += 1;
      const list = byHeader.get(entry.header);
      if (list === undefined) byHeader.set(entry.header, [entry]);
      else list.push(entry);
    },
    complete() {
      complete = true;
    },
    again: (task) => void back.push(task),
    take(inFlight) {
      const returned = back.shift();
      if (returned !== undefined) return returned;
      if (waiting === 0 || (!complete && waiting < enough)) return null;
      const [header, list] = byHeader.entries().next().value!;
      // A short list is spread over the runs that may be made now.
      const size = Math.min(entriesPerRun, Math.ceil(list.length / Math.max(1, runsMax - inFlight)));
      const entries = list.splice(0, size);
      if (list.length === 0) byHeader.delete(header);
      waiting -= entries.length;
      return { header, entries, look, starts: 0, kills: 0, queueMs: 0 };
    },
  };
}
