/**
 * Keeps the modules that trials write. If Lean finds no error in a trial, the module of its text is judged, so no proof is elaborated twice. A module is read into memory once its process has ended, so that no later
 * process can change it.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readHeader } from '@stp/lean-text';
import { newModuleName, type ObjectRun, objectPath } from '../../runtime/process/object-run.ts';
import type { LeanExit } from '../../runtime/process/spawn.ts';
import { splitImports } from '../header.ts';
import { foreignFile } from './compiled-module.ts';
import { HeaderSnapshots, type SnapshotBounds } from './header-snapshots.ts';

/** Maximum size in memory: a module of 128 proofs has a megabyte. A larger one is compiled again, on disk. */
const BYTES_MAX = 16_777_216;

/** How a run ended, and whether Lean found an error in its text. */
export interface ObjectRunEnd {
  readonly exit: LeanExit;
  readonly hasErrors: boolean;
}

/** The module of a run without errors. Its contents are not trusted yet. */
export interface RunModule {
  /** The compiled text: the header, then the proofs. */
  readonly text: string;
  /** Full names of the theorems that it must contain, in order. */
  readonly names: readonly string[];
  readonly bytes: Buffer;
  readonly ms: number;
  readonly peakResidentBytes: number;
  /** Memory limit of its process, bytes. */
  readonly memoryBytesMax: number;
}

export class RunObjects {
  readonly #scratchDirectory: string;
  readonly #snapshots: HeaderSnapshots;
  readonly #processContext: SnapshotBounds['processContext'];

  constructor(processContext: SnapshotBounds['processContext'], scratchDirectory: string) {
    this.#processContext = processContext;
    this.#scratchDirectory = scratchDirectory;
    this.#snapshots = new HeaderSnapshots(scratchDirectory, { inOrder: true });
  }

  /** Removes everything that was kept for later runs. */
  close(): Promise<void> {
    return this.#snapshots.close();
  }

  /**
   * Lets a run write its module and leaves no file on disk. `bytes` is null if there is no module, or if other files
   * were found with it. Rejects as `run` does, or if nothing can be written.
   */
  async write<End extends ObjectRunEnd>(
    header: string,
    bounds: Omit<SnapshotBounds, 'processContext'>,
    run: (object: ObjectRun) => Promise<End>,
  ): Promise<End & { readonly bytes: Buffer | null }> {
    const directory = join(this.#scratchDirectory, `run-${randomBytes(8).toString('hex')}`);
    const module = newModuleName();
    const processContext = this.#processContext;
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const end = await this.#snapshots.use(
        splitImports(header).imports,
        { processContext, ...bounds },
        async (snapshot, drop) => {
          const ended = await run({ directory, module, snapshot });
          if (snapshot !== null && !hasReadItsText(ended)) drop();
          return ended;
        },
      );
      const isWhole = end.exit.how === 'finished' && end.exit.code === 0 && !end.hasErrors;
      return { ...end, bytes: isWhole ? await this.#read({ directory, module }, header) : null };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  async #read(object: ObjectRun, header: string): Promise<Buffer | null> {
    const { directory, module } = object;
    if ((await foreignFile(directory, module, readHeader(header).isModule)) !== '') return null;
    const { size } = await stat(objectPath(object));
    return size > BYTES_MAX ? null : readFile(objectPath(object));
  }
}

/** If Lean cannot load a snapshot, it ends with a signal, or with an exit code and no error about the text. */
function hasReadItsText({ exit, hasErrors }: ObjectRunEnd): boolean {
  if (exit.how === 'finished') return exit.code === 0 || hasErrors;
  return exit.how !== 'crashed' && exit.how !== 'not-started';
}
