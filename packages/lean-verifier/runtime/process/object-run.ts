/** Tells Lean to write a compiled module, and to begin with saved imports. */
import { randomBytes } from 'node:crypto';

/** Lean's state behind a list of imports: a file to load, in a folder of its own that Lean has to be able to read. */
export interface HeaderSnapshot {
  readonly path: string;
  readonly folder: string;
}

export interface ObjectRun {
  /** Folder of the module, which Lean may write to. */
  readonly directory: string;
  /** Name of the module: one plain word. */
  readonly module: string;
  /** Null or missing: Lean imports what the text imports. */
  readonly snapshot?: HeaderSnapshot | null | undefined;
}

/** Arguments of a process that writes a module, beside those of every Lean. */
export function objectOptions({ directory, module, snapshot = null }: ObjectRun): {
  readonly arguments: readonly string[];
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
} {
  return {
    arguments: [
      ...(snapshot === null ? [] : [`--incr-load=${snapshot.path}`]),
      '-o',
      objectPath({ directory, module }),
    ],
    writable: [directory],
    readOnly: snapshot === null ? [] : [snapshot.folder],
  };
}

/** A name that no text can guess. */
export const newModuleName = (): string => `Stp${randomBytes(8).toString('hex')}`;

export const objectPath = ({ directory, module }: Pick<ObjectRun, 'directory' | 'module'>): string =>
  `${directory}/${module}.olean`;
