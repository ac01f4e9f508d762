/**
 * The entries that remain to be checked: new entries, grouped by header and by the namespace of the theorem's name, and
 * tasks that were returned. A name `Foo.t` makes the namespace `Foo`, which a later `open` in the file could find, so
 * only entries with the same namespace share a file. Some forms of a check let others share one,
 * if they open nothing (`BatchForm.sharesNamespaces`).
 */
import { hasDefinitions } from '../header.ts';
import { opensOther } from '../kept-theorem.ts';
import type { CheckEntry } from './check-entries.ts';

/**
 * `small`: in a warm process under the small limits. `big`: in a warm process under the big limits. `alone`: in a fresh
 * process under the big limits.
 */
export type Look = 'small' | 'big' | 'alone';

export interface Task<E> {
  readonly header: string;
  readonly entries: readonly E[];
  readonly look: Look;
  /**
   * How often in a row Lean ended before it read any candidate's text; `kills`: how often it was killed from outside.
   */
  readonly starts: number;
  readonly kills: number;
  /** Time spent waiting for a process so far, ms. */
  readonly queueMs: number;
}

export interface Backlog<E> {
  /** Whether nothing waits, and only returned tasks can still arrive. */
  readonly isEmpty: boolean;
  /** Whether enough entries wait, so that no more should be added. */
  readonly isFull: boolean;
  add(entry: E): void;
  /** Declares that no more entries will be added. */
  complete(): void;
  /** Returns a task, which is served before new entries because it takes longest. */
  again(task: Task<E>): void;
  /** Takes the next task. Null if nothing waits, or too little to fill every run. */
  take(inFlight: number): Task<E> | null;
}

/**
 * Whether an `open` may look for a namespace that a theorem's name makes: in the entry's texts, or in a notation of its
 * header.
 */
function opensNamespaces({ header, signature, proofText, ending = '' }: CheckEntry): boolean {
  return hasDefinitions(header) || [signature, proofText, ending].some(opensOther);
}

export function openBacklog<E extends CheckEntry>(options: {
  readonly entriesPerRun: number;
  /** Maximum number of concurrent tasks. */
  readonly runsMax: number;
  readonly look: Look;
  /** As in `BatchForm`. */
  readonly sharesNamespaces?: boolean | undefined;
}): Backlog<E> {
  const { runsMax, look, sharesNamespaces = false } = options;
  const entriesPerRun = look === 'alone' ? 1 : options.entriesPerRun;
  /** Enough to fill every run; at most twice as many entries wait. */
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
      const isApart = !sharesNamespaces || opensNamespaces(entry);
      const key = JSON.stringify([entry.header, isApart ? (entry.namespace ?? '') : null]);
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
      // Gives each run that may start now an equal part of what waits. A list is split only if it is longer than that,
      // since every part starts Lean and imports the header.
      const size = Math.min(entriesPerRun, Math.ceil(waiting / Math.max(1, runsMax - inFlight)));
      const entries = list.splice(0, size);
      if (list.length === 0) groups.delete(key);
      waiting -= entries.length;
      return { header: entries[0]!.header, entries, look, starts: 0, kills: 0, queueMs: 0 };
    },
  };
}
