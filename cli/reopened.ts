/**
 * Something over a Lean that calls share: opened by the first call that needs it, and opened anew when the modules of the project
 * have changed since, so that no answer speaks of modules that are not there any more.
 */
import { untilAborted } from '@stp/editor';
import { type LeanEnvironment, rebuiltProject } from '@stp/lean-verifier';

export interface OverLean {
  readonly environment: LeanEnvironment;
  close(): Promise<void>;
}

interface Opened<T> {
  readonly over: T;
  users: number;
  /** Another took its place: it ends with its last user. */
  isReplaced: boolean;
  /** Closes it at the first call. */
  close(): Promise<void>;
}

export class Reopened<T extends OverLean> {
  readonly #open: (tell: (line: string) => void) => Promise<T>;
  #opened: Promise<Opened<T>> | null = null;
  readonly #all = new Set<Promise<Opened<T>>>();

  /** @param open is told to whom it tells its progress: the call that waits for it */
  constructor(open: (tell: (line: string) => void) => Promise<T>) {
    this.#open = open;
  }

  /** Rejects where it cannot be opened, and with the signal's reason. What could not be opened is tried again by the next call. */
  async use<R>(
    signal: AbortSignal,
    work: (over: T) => Promise<R>,
    tell: (line: string) => void = () => {},
  ): Promise<R> {
    const opened = await untilAborted(this.#current(tell), signal);
    opened.users += 1;
    try {
      return await untilAborted(work(opened.over), signal);
    } finally {
      opened.users -= 1;
      if (opened.isReplaced && opened.users === 0) await opened.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((one) => one.then((opened) => opened.close()).catch(() => {})));
  }

  async #current(tell: (line: string) => void): Promise<Opened<T>> {
    const before = this.#opened;
    if (before !== null) {
      const opened = await before;
      if (this.#opened !== before) return this.#current(tell);
      if ((await rebuiltProject(opened.over.environment)) === null) return opened;
      if (this.#opened !== before) return this.#current(tell);
      opened.isReplaced = true;
      this.#opened = null;
      if (opened.users === 0) void opened.close();
    }
    const opening = this.#open(tell).then((over): Opened<T> => {
      let closed: Promise<void> | null = null;
      const close = (): Promise<void> => (closed ??= over.close().finally(() => this.#all.delete(opening)));
      return { over, users: 0, isReplaced: false, close };
    });
    this.#opened = opening;
    this.#all.add(opening);
    opening.catch(() => {
      this.#all.delete(opening);
      if (this.#opened === opening) this.#opened = null;
    });
    return opening;
  }
}
