/**
 * The work still to do: new entries by header and by the namespace of the theorem's name, and pieces of work that were returned. A name
 * `Foo.t` makes the namespace `Foo`, in which `open` behind it in the file would look; so only entries that make the same one share a file.
 */
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
  const groups = new Map<string, E[]>();
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
      const key = JSON.stringify([entry.header, entry.namespace ?? '']);
      const list = groups.get(key);
      if (list === undefined) groups.set(key, [entry]);
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
      const [key, list] = groups.entries().next().value!;
      // A short list is spread over the runs that may be made now.
      const size = Math.min(entriesPerRun, Math.ceil(list.length / Math.max(1, runsMax - inFlight)));
      const entries = list.splice(0, size);
      if (list.length === 0) groups.delete(key);
      waiting -= entries.length;
      return { header: entries[0]!.header, entries, look, starts: 0, kills: 0, queueMs: 0 };
    },
  };
}
