/**
 * Lean processes that are started in advance and wait for the text of a module. Starting takes a fifth of the time that
 * Lean needs for a small text below `import Init`. A waiting process has read and imported nothing, so no other process
 * can have influenced it. Each is used once. At most one process of each kind waits, and the number of kinds is small.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type HeaderSnapshot, newModuleName, type ObjectRun, objectOptions } from './object-run.ts';
import { type LeanProcess, type ProcessContext, startLean } from './spawn.ts';

/** The kinds: one without saved imports, and one with the most recently used saved imports. */
const KINDS_MAX = 2;
/** A process that is not taken within this time is ended. */
const IDLE_MS = 300_000;

export interface ReadyProcess extends ObjectRun {
  readonly process: LeanProcess;
  /** Ends the process if it still runs, and removes its folder. */
  remove(): Promise<void>;
}

export interface ReadyOptions {
  readonly processContext: ProcessContext;
  /** Each process gets a new folder in this one. */
  readonly scratchDirectory: string;
  /** Memory limit while the process waits. Once it is taken, the limit of its text applies. */
  readonly memoryBytesMax: number;
  /**
   * Whether a process may be started now. While others wait for processor cores, starting one in advance does not help.
   */
  readonly isCalm: () => boolean;
}

export class ReadyProcesses {
  readonly #options: ReadyOptions;
  readonly #waiting = new Map<string, { readonly ready: ReadyProcess; readonly timer: NodeJS.Timeout }>();
  readonly #starting = new Set<string>();
  readonly #busy = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: ReadyOptions) {
    this.#options = options;
  }

  /** Returns a waiting process, which the caller must remove, or null if none waits. Starts another one if `isCalm`. */
  take(snapshot: HeaderSnapshot | null = null): ReadyProcess | null {
    const key = kindOf(snapshot);
    const found = this.#waiting.get(key);
    this.#waiting.delete(key);
    clearTimeout(found?.timer);
    if (this.#options.isCalm()) this.#track(this.#start(snapshot));
    return found?.ready ?? null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const key of [...this.#waiting.keys()]) this.#drop(key);
    while (this.#busy.size > 0) await Promise.all(this.#busy);
  }

  async #start(snapshot: HeaderSnapshot | null): Promise<void> {
    const key = kindOf(snapshot);
    if (this.#isClosed || this.#starting.has(key)) return;
    this.#starting.add(key);
    const { processContext, scratchDirectory, memoryBytesMax } = this.#options;
    const directory = join(scratchDirectory, `ready-${randomBytes(8).toString('hex')}`);
    const object = { directory, module: newModuleName(), snapshot };
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const { arguments: words, ...access } = objectOptions(object);
      const own = { ...processContext, ...access, workingDirectory: directory, memoryBytesMax };
      const process = startLean({ ...own, arguments: ['--json', '--stdin', ...words] });
      const remove = async (): Promise<void> => {
        if ('pid' in process) {
          process.end('crashed');
          await process.ended;
        }
        await rm(directory, { recursive: true, force: true });
      };
      if (!('pid' in process) || this.#isClosed) return await remove();
      this.#keep(key, { ...object, process, remove });
    } catch {
      // Without a waiting process, one starts when its text arrives. That start reports what is wrong with the machine.
      await rm(directory, { recursive: true, force: true });
    } finally {
      this.#starting.delete(key);
    }
  }

  #keep(key: string, ready: ReadyProcess): void {
    const timer = setTimeout(() => this.#drop(key), IDLE_MS);
    timer.unref();
    this.#drop(key);
    this.#waiting.set(key, { ready, timer });
    if (this.#waiting.size > KINDS_MAX) this.#drop(this.#waiting.keys().next().value!);
    void ready.process.ended.then(() => {
      if (this.#waiting.get(key)?.ready === ready) this.#drop(key);
    });
  }

  #drop(key: string): void {
    const found = this.#waiting.get(key);
    if (found === undefined) return;
    this.#waiting.delete(key);
    clearTimeout(found.timer);
    this.#track(found.ready.remove());
  }

  #track(work: Promise<void>): void {
    const own = work.finally(() => this.#busy.delete(own));
    this.#busy.add(own);
  }
}

const kindOf = (snapshot: HeaderSnapshot | null): string => snapshot?.path ?? '';
