/**
 * Lean's state behind a list of imports, saved once and loaded by the processes that compile proofs, which takes a third of the processor
 * time of importing. A Lean without these options, which are newer than 4.28, imports as ever. A snapshot decides nothing: what a
 * process compiles with it is judged as an object like any other. It holds the options that Lean was started with, and a process that
 * loads it heeds none of its own.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandOptions } from '../../runtime/process/command-options.ts';
import { readLean } from '../../runtime/process/its-own-end.ts';
import type { HeaderSnapshot } from '../../runtime/process/object-run.ts';
import type { ProcessPlace } from '../../runtime/process/spawn.ts';
import { HEADER_TIMEOUT_MS } from '../verdict/limits.ts';
import { type CompiledModule, type CompileTask, compileModule } from './compiled-module.ts';

/** Lists of imports that are kept; a run has one or two. */
const KEPT_MAX = 4;
/** Size of a snapshot at most: that of `Init` has 21 MB. A larger one, such as Mathlib's, is not kept. */
const BYTES_MAX = 134_217_728;
/** The first proof under a header may be the only one. */
const MADE_AT_USE = 2;

/** Bounds of the process that makes a snapshot. */
export interface SnapshotBounds {
  readonly place: ProcessPlace;
  readonly memoryBytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

interface Kept {
  uses: number;
  made: Promise<HeaderSnapshot | null> | null;
  /** Processes that load it now. */
  users: number;
  /** Its file goes with its last user. */
  isDropped: boolean;
}

export class HeaderSnapshots {
  readonly #scratchDirectory: string;
  readonly #inOrder: boolean;
  readonly #kept = new Map<string, Kept>();

  /**
   * For one environment: a list of imports has one meaning.
   * @param options `inOrder`: a process that loads one reads one declaration after another, and its messages come as it does
   */
  constructor(scratchDirectory: string, { inOrder = false } = {}) {
    this.#scratchDirectory = scratchDirectory;
    this.#inOrder = inOrder;
  }

  /**
   * Compiles a text with these imports from the snapshot behind them, where there is one. Its file stays as long as Lean may load it. One
   * that Lean cannot read says nothing about the text, so it is dropped and the text compiled without. Rejects as `compileModule` does.
   */
  async compile(importLines: readonly string[], task: CompileTask): Promise<CompiledModule> {
    return this.use(importLines, task, async (snapshot, drop) => {
      const compiled = await compileModule({ ...task, snapshot });
      if (snapshot === null || (compiled.exit !== 'crashed' && compiled.exit !== 'not-started')) return compiled;
      drop();
      return compileModule(task);
    });
  }

  /**
   * Gives the work the snapshot behind these imports, or null where there is none. Its file stays until the work is done. `drop` is
   * for one that Lean may not be able to read: nobody is given it again.
   */
  async use<Result>(
    importLines: readonly string[],
    bounds: SnapshotBounds,
    work: (snapshot: HeaderSnapshot | null, drop: () => void) => Promise<Result>,
  ): Promise<Result> {
    const key = importLines.join('\n');
    const kept = this.#kept.get(key) ?? { uses: 0, made: null, users: 0, isDropped: false };
    kept.users += 1;
    try {
      await this.#keep(key, kept);
      return await work(await this.#snapshotOf(kept, importLines, bounds), () => {
        if (this.#kept.get(key) === kept) this.#kept.delete(key);
        kept.isDropped = true;
      });
    } finally {
      kept.users -= 1;
      await removeUnused(kept);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((key) => this.#drop(key)));
  }

  /** Makes it the last one used, and drops the one whose use is longest ago. */
  async #keep(key: string, kept: Kept): Promise<void> {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    if (this.#kept.size > KEPT_MAX) await this.#drop(this.#kept.keys().next().value!);
  }

  async #drop(key: string): Promise<void> {
    const kept = this.#kept.get(key)!;
    this.#kept.delete(key);
    kept.isDropped = true;
    await removeUnused(kept);
  }

  /** Null where there is none, or not yet. Rejects only with the signal's reason. */
  async #snapshotOf(
    kept: Kept,
    importLines: readonly string[],
    bounds: SnapshotBounds,
  ): Promise<HeaderSnapshot | null> {
    kept.uses += 1;
    if (kept.uses < MADE_AT_USE) return null;
    kept.made ??= this.#make(importLines, bounds).catch((error: unknown) => {
      // The next one tries again where this one was called off.
      kept.made = null;
      throw error;
    });
    return kept.made.catch((): null => {
      bounds.signal?.throwIfAborted();
      return null;
    });
  }

  async #make(importLines: readonly string[], bounds: SnapshotBounds): Promise<HeaderSnapshot | null> {
    const { place, memoryBytesMax, signal } = bounds;
    const folder = join(this.#scratchDirectory, `snapshot-${randomBytes(8).toString('hex')}`);
    const [path, source] = [join(folder, 'header'), join(folder, 'Header.lean')];
    let isMade = false;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(source, `${importLines.join('\n')}\n`);
      const exit = await readLean({
        ...place,
        arguments: [...(this.#inOrder ? await commandOptions(place) : []), `--incr-header-save=${path}`, source],
        input: null,
        workingDirectory: folder,
        deadlineMs: HEADER_TIMEOUT_MS,
        memoryBytesMax,
        writable: [folder],
        signal,
      });
      const bytes = await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
      isMade = exit.how === 'finished' && exit.code === 0 && bytes > 0 && bytes <= BYTES_MAX;
      return isMade ? { path, folder } : null;
    } finally {
      if (!isMade) await rm(folder, { recursive: true, force: true });
    }
  }
}

async function removeUnused(kept: Kept): Promise<void> {
  if (!kept.isDropped || kept.users > 0) return;
  const snapshot = await kept.made?.catch(() => null);
  if (snapshot) await rm(snapshot.folder, { recursive: true, force: true });
}
