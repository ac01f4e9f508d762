/**
 * Saves Lean's state after a list of imports once, and loads it in the processes that compile proofs, which takes a
 * third of the processor time of importing. A Lean that lacks these options (they are newer than 4.28) imports as
 * usual. A snapshot decides nothing: the output of a process that uses it is judged like any other module. It contains
 * the options with which Lean was started; a process that loads it ignores its own options.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandOptions } from '../../runtime/process/command-options.ts';
import { readLean } from '../../runtime/process/its-own-end.ts';
import type { HeaderSnapshot } from '../../runtime/process/object-run.ts';
import type { ProcessContext } from '../../runtime/process/spawn.ts';
import { HEADER_TIMEOUT_MS } from '../verdict/limits.ts';
import { type CompiledModule, type CompileTask, compileModule } from './compiled-module.ts';

/** Number of import lists whose snapshots are kept; a run has one or two. */
const KEPT_MAX = 4;
/** Maximum size of a snapshot: that of `Init` has 21 MB. A larger one, such as Mathlib's, is not kept. */
const BYTES_MAX = 134_217_728;
/**
 * The snapshot is made at this use of the imports. Making one takes some 950 ms of processor time, and loading it saves
 * 160 of the 240 ms that a start takes below `Init`. A run over a library has many headers with few proofs each.
 */
export const MADE_AT_USE = 6;

/** Limits of the process that makes a snapshot. */
export interface SnapshotBounds {
  readonly processContext: ProcessContext;
  readonly memoryBytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

interface Kept {
  uses: number;
  made: Promise<HeaderSnapshot | null> | null;
  /** Number of processes that are loading it. */
  users: number;
  /** Whether the last user removes its file. */
  isDropped: boolean;
}

export class HeaderSnapshots {
  readonly #scratchDirectory: string;
  readonly #inOrder: boolean;
  readonly #madeAtUse: number;
  readonly #kept = new Map<string, Kept>();

  /**
   * For one environment, because a list of imports must have a single meaning.
   * @param options `inOrder`: processes that load a snapshot read one declaration after another, and report messages in
   * that order. `madeAtUse`: the use of a list of imports at which its snapshot is made
   */
  constructor(scratchDirectory: string, { inOrder = false, madeAtUse = MADE_AT_USE } = {}) {
    this.#scratchDirectory = scratchDirectory;
    this.#inOrder = inOrder;
    this.#madeAtUse = madeAtUse;
  }

  /**
   * Compiles a text with these imports, using their snapshot if there is one. The file stays while Lean may load it. A
   * snapshot that Lean cannot read says nothing about the text, so it is dropped and the text is compiled without it.
   * Rejects as `compileModule` does.
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
   * Calls the work with the snapshot for these imports, or null if there is none. The file stays until the work is
   * done. The work calls `drop` if Lean may be unable to read the snapshot; then it is not used again.
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

  /** Marks the snapshot as most recently used, and drops the least recently used one. */
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

  /** Returns null if there is no snapshot, or not yet. Rejects only with the signal's reason. */
  async #snapshotOf(
    kept: Kept,
    importLines: readonly string[],
    bounds: SnapshotBounds,
  ): Promise<HeaderSnapshot | null> {
    kept.uses += 1;
    if (kept.uses < this.#madeAtUse) return null;
    kept.made ??= this.#make(importLines, bounds).catch((error: unknown) => {
      // After an abort the next caller tries again.
      kept.made = null;
      throw error;
    });
    return kept.made.catch((): null => {
      bounds.signal?.throwIfAborted();
      return null;
    });
  }

  async #make(importLines: readonly string[], bounds: SnapshotBounds): Promise<HeaderSnapshot | null> {
    const { processContext, memoryBytesMax, signal } = bounds;
    const folder = join(this.#scratchDirectory, `snapshot-${randomBytes(8).toString('hex')}`);
    const [path, source] = [join(folder, 'header'), join(folder, 'Header.lean')];
    let isMade = false;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(source, `${importLines.join('\n')}\n`);
      const exit = await readLean({
        ...processContext,
        arguments: [
          ...(this.#inOrder ? await commandOptions(processContext) : []),
          `--incr-header-save=${path}`,
          source,
        ],
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
