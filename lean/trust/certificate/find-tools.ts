/** Where checkers lie: named by a variable, beside `lean` (toolchains from 4.28 and 4.35 on bring some), or on PATH. */
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { ProcessPlace } from '../../runtime/process/spawn.ts';
import { findOnPath } from '../../toolchain/search-path.ts';
import { isExecutable } from './run-tool.ts';

export interface Tool {
  /** Absolute path of the program. */
  readonly variable: string;
  /** Names it goes by; the first that is there is taken. */
  readonly names: readonly string[];
}

/** Replays the declarations of compiled modules in Lean's kernel; comes with Lean from 4.28 on. */
export const LEANCHECKER: Tool = { variable: 'STP_LEANCHECKER', names: ['leanchecker'] };
/** Writes a module's declarations as lines of JSON: `leanexport` in toolchains from 4.35 on, `lean4export` before. */
export const EXPORTER: Tool = { variable: 'STP_LEAN4EXPORT', names: ['leanexport', 'lean4export'] };
/** A kernel written in Rust. */
export const NANODA: Tool = { variable: 'STP_NANODA', names: ['nanoda_bin'] };
/** Has the command `comparator` from 4.35 on. */
export const LAKE: Tool = { variable: 'STP_LAKE', names: ['lake'] };

/** Null where it is not there. A set variable is the only way that is tried; it may be set to nothing. */
export async function findTool({ variable, names }: Tool, place: ProcessPlace): Promise<string | null> {
  const named = process.env[variable];
  if (named !== undefined) return isAbsolute(named) && (await isExecutable(named)) ? named : null;
  const { executable } = place.environment;
  for (const name of names) {
    for (const folder of new Set([dirname(executable), dirname(resolved(executable))]))
      if (await isExecutable(join(folder, name))) return join(folder, name);
    const found = await findOnPath(name, process.env);
    if (found !== undefined) return found;
  }
  return null;
}

function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
