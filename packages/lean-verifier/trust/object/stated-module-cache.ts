/**
 * Caches compiled statements: samples of a statement arrive one after another, and each is judged against the same
 * module. The cache is in memory, where no process that reads a proof can change it.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type ComparedModule, compileAndCompare, type WrittenTask, type WrittenTheorem } from './as-written.ts';

const KEPT_MAX = 512;
const BYTES_MAX = 262_144;
/** Lifetime, ms: the modules that statements import may be rebuilt under a long-lived verifier. */
const KEPT_MS = 300_000;

interface Kept {
  readonly module: ComparedModule;
  /** Null if the module is empty. */
  readonly bytes: Buffer | null;
  readonly until: number;
}

export class StatedModules {
  readonly #kept = new Map<string, Kept>();
  /** Modules that are being compiled, by the same keys. */
  readonly #made = new Map<string, Promise<ComparedModule>>();

  /** Does the same as `compileAndCompare`. Afterwards the module is in the task's folder. */
  async compile(theorems: readonly WrittenTheorem[], task: WrittenTask): Promise<ComparedModule> {
    const { importLines, opening, writtenUnder, directory } = task;
    const key = JSON.stringify([theorems, importLines, opening, writtenUnder]);
    // Another caller's compilation may have failed for reasons of its own.
    const made = this.#made.get(key);
    if (made !== undefined) await made.catch(() => {});
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    if (kept !== undefined && kept.until > performance.now()) {
      this.#kept.set(key, kept);
      return laidOut(kept, directory);
    }
    const making = this.#make(key, theorems, task);
    this.#made.set(key, making);
    try {
      return await making;
    } finally {
      if (this.#made.get(key) === making) this.#made.delete(key);
    }
  }

  async #make(key: string, theorems: readonly WrittenTheorem[], task: WrittenTask): Promise<ComparedModule> {
    const module = await compileAndCompare(theorems, task);
    const bytes = module.path === null ? null : await readFile(module.path);
    if (module.problem === '' && (bytes?.length ?? 0) <= BYTES_MAX) {
      this.#kept.set(key, { module, bytes, until: performance.now() + KEPT_MS });
      if (this.#kept.size > KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value!);
    }
    return module;
  }
}

async function laidOut({ module, bytes }: Kept, directory: string): Promise<ComparedModule> {
  if (bytes === null) return module;
  const path = join(directory, basename(module.path!));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(path, bytes);
  return { ...module, path };
}
