/** Options that make Lean write a compiled module and start from saved imports. */
import { randomBytes } from 'node:crypto';

/** Lean's saved state after a list of imports: a file to load, in a folder that Lean must be able to read. */
export interface HeaderSnapshot {
  readonly path: string;
  readonly folder: string;
}

export interface ObjectRun {
  /** Folder of the module; Lean may write to it. */
  readonly directory: string;
  /** Name of the module: a single identifier. */
  readonly module: string;
  /** Null or missing: Lean imports what the text imports. */
  readonly snapshot?: HeaderSnapshot | null | undefined;
}

/** Arguments and folders for a process that writes a module, in addition to those of every Lean process. */
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

/** Returns an unpredictable module name, so that no text can refer to it. */
export const newModuleName = (): string => `Stp${randomBytes(8).toString('hex')}`;

export const objectPath = ({ directory, module }: Pick<ObjectRun, 'directory' | 'module'>): string =>
  `${directory}/${module}.olean`;
