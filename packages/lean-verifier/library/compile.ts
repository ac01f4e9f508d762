/**
 * Compiles the Lean library and caches the result: runs `lean -o` on the modules in import order and writes to
 * `<cache>/library/<fingerprint>/`. The fingerprint covers the toolchain and every source byte. `modules.ts` defines
 * the module names. Concurrent compilations are safe: each works in a folder of its own, and the first to finish
 * renames its folder to the final name.
 */
import { randomBytes } from 'node:crypto';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { StpError } from '@stp/base';
import { publishFolder } from '@stp/base/files';
import { contentId } from '@stp/config/ids';
import type { LeanMessage } from '@stp/config/records';
import { refuseFullDisk } from '../runtime/process/full-disk.ts';
import type { Toolchain } from '../toolchain/toolchain.ts';
import type { LeanEnvironment } from '../verifier.ts';
import { leanMessages } from './lean-messages.ts';
import { discoverModules, type LeanModule, libraryError, type SourceDirectory } from './modules.ts';

export type { SourceDirectory } from './modules.ts';

export interface CompileProgress {
  /** The module that has just been compiled; `done` and `total` count modules. */
  readonly module: string;
  readonly done: number;
  readonly total: number;
  readonly warnings: readonly LeanMessage[];
}

export interface CompileLibraryOptions {
  readonly toolchain: Toolchain;
  readonly sourceDirectories: readonly SourceDirectory[];
  readonly cacheDirectory: string;
  /** Variables added to Lean's environment: the run mark. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly onProgress?: (progress: CompileProgress) => void;
  readonly signal?: AbortSignal;
}

/** Our largest module takes about a second, so a module that takes this long never ends. */
const MODULE_DEADLINE_MS = 300_000;
/** Maximum number of concurrent processes: Lean itself is threaded, and each process takes about 220 MB. */
const PROCESSES_MAX = 4;
/** Part of the fingerprint. Increment it when the layout of the cache changes. */
const LAYOUT = 'library layout 1';

/**
 * Returns the toolchain with the compiled library. Throws STP1202 with file:line:column if a module does not compile.
 */
export async function compileLibrary(options: CompileLibraryOptions): Promise<LeanEnvironment> {
  const { toolchain } = options;
  const modules = await discoverModules(options.sourceDirectories);
  const fingerprint = contentId(LAYOUT, toolchain.identity, ...modules.flatMap(({ name, source }) => [name, source]));
  const folder = path.join(options.cacheDirectory, 'library', fingerprint);
  if (!(await isComplete(folder, modules))) await compileInto(folder, modules, options);
  return {
    source: toolchain.source,
    executable: toolchain.executable,
    version: toolchain.version,
    searchPath: [folder],
    fingerprint,
    toleratesLibraryAxioms: toolchain.toleratesLibraryAxioms,
  };
}

async function isComplete(folder: string, modules: readonly LeanModule[]): Promise<boolean> {
  try {
    await Promise.all(modules.map((module) => access(objectPath(folder, module.name))));
    return true;
  } catch {
    return false;
  }
}

async function compileInto(folder: string, modules: readonly LeanModule[], options: CompileLibraryOptions) {
  const staging = `${folder}.${process.pid}.${randomBytes(4).toString('hex')}.partial`;
  const sources = path.join(staging, 'source');
  try {
    for (const module of modules) {
      const file = sourcePath(sources, module.name);
      await mkdir(path.dirname(file), { recursive: true });
      await mkdir(path.dirname(objectPath(staging, module.name)), { recursive: true });
      await writeFile(file, module.source);
    }
    await compileAll(staging, sources, modules, options);
    await rm(sources, { recursive: true });
    await publishFolder(staging, folder, () => isComplete(folder, modules));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Compiles each module as soon as its imports are compiled. The first failure stops all others. */
async function compileAll(
  staging: string,
  sources: string,
  modules: readonly LeanModule[],
  options: CompileLibraryOptions,
): Promise<void> {
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const waiting = new Set(modules);
  const compiled = new Set<string>();
  const worker = async (wake: Wake) => {
    while (waiting.size > 0) {
      const next = [...waiting].find((module) => module.imports.every((name) => compiled.has(name)));
      if (next === undefined) {
        await wake.wait();
        signal.throwIfAborted();
        continue;
      }
      waiting.delete(next);
      try {
        const warnings = await compileModule(staging, sources, next, { ...options, signal });
        compiled.add(next.name);
        options.onProgress?.({ module: next.name, done: compiled.size, total: modules.length, warnings });
      } catch (error) {
        stop.abort(error);
        throw error;
      } finally {
        wake.all();
      }
    }
  };
  const wake = new Wake();
  const count = Math.min(PROCESSES_MAX, availableParallelism(), modules.length);
  const results = await Promise.allSettled(Array.from({ length: count }, () => worker(wake)));
  options.signal?.throwIfAborted();
  if (stop.signal.aborted) throw stop.signal.reason;
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Lets idle workers sleep until a module is done. */
class Wake {
  #sleepers: (() => void)[] = [];
  wait(): Promise<void> {
    return new Promise((resolve) => this.#sleepers.push(resolve));
  }
  all(): void {
    for (const resolve of this.#sleepers.splice(0)) resolve();
  }
}

async function compileModule(
  staging: string,
  sources: string,
  module: LeanModule,
  options: CompileLibraryOptions,
): Promise<readonly LeanMessage[]> {
  const source = sourcePath(sources, module.name);
  const run = await leanMessages({
    executable: options.toolchain.executable,
    arguments: [`--root=${sources}`, '-o', objectPath(staging, module.name), source],
    searchPath: [staging],
    deadlineMs: MODULE_DEADLINE_MS,
    ...(options.environment === undefined ? {} : { environment: options.environment }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const where = module.path ?? module.name;
  const wrong = run.messages.find(({ severity, text }) => severity === 'error' || /uses [`'‘]sorry/.test(text));
  if (wrong !== undefined) {
    const location = `${where}:${wrong.line}:${wrong.column + 1}`;
    throw libraryError(`${location}: ${wrong.text}`, 'Correct the library file; every theorem in it needs a proof.', {
      file: where,
      line: wrong.line,
      column: wrong.column + 1,
    });
  }
  if (run.timedOut) {
    const seconds = MODULE_DEADLINE_MS / 1000;
    throw libraryError(`${where} was not compiled within ${seconds} s`, 'Look for a proof or definition that loops.');
  }
  if (run.exitCode !== 0) {
    await refuseFullDisk(staging);
    const detail = run.rest.trim() || 'no message';
    throw new StpError(
      'STP1203',
      `lean ended with ${run.exitCode} on ${where}: ${detail}`,
      'Check the Lean toolchain.',
    );
  }
  return run.messages.filter(({ severity }) => severity === 'warning');
}

function sourcePath(root: string, module: string): string {
  return `${path.join(root, ...module.split('.'))}.lean`;
}

function objectPath(root: string, module: string): string {
  return `${path.join(root, ...module.split('.'))}.olean`;
}
