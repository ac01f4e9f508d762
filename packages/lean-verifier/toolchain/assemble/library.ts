/**
 * Makes the library folder of an assembled Lean: converts the package's modules, adds declarations that Lean 4.35
 * expects and 4.28 lacks, and writes an `Init` that imports both. The additions are small modules with few imports, so
 * that a header which imports only a part of the library can import them too.
 *
 *   Init = Init.Library428 (the package's Init) + Init.Additions.Core + … (`additions/*.lean`)
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StpError } from '@stp/base';
import type { NativeCode } from '../olean/adapt.ts';
import { convertModule, FIRST_BASE, nextBase } from '../olean/convert.ts';
import { runCommand } from '../run-command.ts';
import type { Addition } from './manifest.ts';
import { forEachTarFile } from './unpack.ts';

/** The package's Lake, its entry points and files of macOS (`._…`) do not belong to the library. */
const LIBRARY_MODULE = /^(?:Init|Std|Lean)(?:\/[^.][^/]*)*\.olean$/;
/** Number of modules in the package that `LIBRARY_MODULE` matches. */
const LIBRARY_MODULE_COUNT = 1941;
const PROGRESS_MODULES = 500;
/** The additions take half a second on an idle machine. */
const COMPILE_TIMEOUT_MS = 120_000;

const PACKAGE_INIT = 'Init.olean';
const CONVERTED_INIT = 'Init/Library428';
const ADDITIONS_FOLDER = 'Init/Additions';

export interface ConvertLibraryOptions {
  /** The inner tar archive of the package, with 32-bit modules. */
  readonly archive: string;
  /** Existing folder to which the modules are written. */
  readonly library: string;
  readonly nativeCode: NativeCode;
  readonly onProgress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Converts every module of the package and writes it to `library`.
 * @throws StpError STP1204 if the archive or one of its modules is damaged
 */
export async function convertLibrary({
  archive,
  library,
  nativeCode,
  onProgress,
  signal,
}: ConvertLibraryOptions): Promise<void> {
  let base = FIRST_BASE;
  let count = 0;
  await forEachTarFile(
    archive,
    (path) => LIBRARY_MODULE.test(path),
    (module, source) => {
      signal?.throwIfAborted();
      const converted = convertModule(source, module, base, nativeCode);
      base = nextBase(base, converted.length);
      const path = join(library, module);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, converted);
      count += 1;
      if (count % PROGRESS_MODULES === 0)
        onProgress(`Converting the library: ${count} of ${LIBRARY_MODULE_COUNT} modules`);
    },
  );
  if (count !== LIBRARY_MODULE_COUNT) {
    throw new StpError(
      'STP1204',
      `the library has ${count} modules, not ${LIBRARY_MODULE_COUNT}`,
      'Run the set-up again.',
    );
  }
}

export interface CompileOptions {
  /** The `lean` that is being assembled. */
  readonly executable: string;
  readonly library: string;
  /** Existing empty folder for sources. */
  readonly workFolder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

async function compile(module: string, source: string, options: CompileOptions): Promise<void> {
  const { executable, library, workFolder, environment, signal } = options;
  const sourcePath = join(workFolder, `${module}.lean`);
  await mkdir(dirname(sourcePath), { recursive: true });
  await writeFile(sourcePath, source);
  const output = join(workFolder, `${module}.olean`);
  const result = await runCommand(executable, ['-o', output, `${module}.lean`], {
    cwd: workFolder,
    environment,
    timeoutMs: COMPILE_TIMEOUT_MS,
    signal,
  });
  if (!result.ok) {
    throw new StpError(
      'STP1202',
      `the assembled Lean does not compile ${module}.lean: ${result.reason}`,
      'Install Lean 4 from lean-lang.org instead and put it on PATH, or name it in STP_LEAN.',
      { facts: { module, stdout: result.stdout.slice(0, 4_000) } },
    );
  }
  await rename(output, join(library, `${module}.olean`));
  await rm(sourcePath);
}

/**
 * Completes a converted library so that `import Init` gives what Lean 4.35 expects.
 * @param additions modules to add, each after its imports
 * @throws StpError STP1202 if the new Lean does not compile them
 */
export async function completeLibrary(additions: readonly Addition[], options: CompileOptions): Promise<void> {
  const packageInit = join(options.library, PACKAGE_INIT);
  await copyFile(packageInit, join(options.library, `${CONVERTED_INIT}.olean`));
  await mkdir(join(options.library, ADDITIONS_FOLDER), { recursive: true });
  for (const { name, source } of additions) await compile(`${ADDITIONS_FOLDER}/${name}`, source, options);
  const imports = [CONVERTED_INIT, ...additions.map(({ name }) => `${ADDITIONS_FOLDER}/${name}`)];
  const lines = imports.map((module) => `import ${module.replaceAll('/', '.')}\n`);
  await compile('Init', `prelude\n${lines.join('')}`, options);
}
