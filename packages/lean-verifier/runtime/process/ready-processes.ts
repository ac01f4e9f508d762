/**
 * Lean processes that are started ahead and wait for the text of a module: a start takes a fifth of the time that Lean needs for a small
 * text below `import Init`. One that waits has read nothing and imported nothing, so nothing that other processes do can stand in it.
 * Each is used once. There is one of a kind at most, and few kinds.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type HeaderSnapshot, newModuleName, type ObjectRun, objectOptions } from './object-run.ts';
import { type LeanProcess, type ProcessPlace, startLean } from './spawn.ts';

/** Kinds: without saved imports, and with those used last. */
const KINDS_MAX = 2;
/** One that nobody asks for ends. */
const IDLE_MS = 300_000;

export interface ReadyProcess extends ObjectRun {
  readonly process: LeanProcess;
  /** Ends it, if it has not ended, and removes its folder. */
  remove(): Promise<void>;
}

export interface ReadyOptions {
  readonly place: ProcessPlace;
  /** A folder for each is made in it. */
  readonly scratchDirectory: string;
  /** Until a process is taken; then the limit of its text counts. */
  readonly memoryBytesMax: number;
  /** Whether one may be started now. While others wait for the cores it helps nobody. */
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

  /** One that waits, which the caller removes; null if there is none. Has another one started in its place. */
  take(snapshot: HeaderSnapshot | null = null): ReadyProcess | null {
    const key = kindOf(snapshot);
    const found = this.#waiting.get(key);
    this.#waiting.delete(key);
    clearTimeout(found?.timer);
    if (this.#options.isCalm()) this.#track(this.#start(snapshot));
    return found?.ready ?? null;
  }

  /** Ends those that wait. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const key of [...this.#waiting.keys()]) this.#drop(key);
    while (this.#busy.size > 0) await Promise.all(this.#busy);
  }

  async #start(snapshot: HeaderSnapshot | null): Promise<void> {
    const key = kindOf(snapshot);
    if (this.#isClosed || this.#starting.has(key)) return;
    this.#starting.add(key);
    const { place, scratchDirectory, memoryBytesMax } = this.#options;
    const directory = join(scratchDirectory, `ready-${randomBytes(8).toString('hex')}`);
    const object = { directory, module: newModuleName(), snapshot };
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const { arguments: words, ...access } = objectOptions(object);
      const own = { ...place, ...access, workingDirectory: directory, memoryBytesMax };
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
      // Without one, a process is started when its text has come; what is wrong with the machine is told there.
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
