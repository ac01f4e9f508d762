/**
 * Inspects a compiled module: lists its contents and has the second kernel check them, on a thread of this process that
 * reads the module and runs none of its code. Imports are searched only in the environment's folders, because the
 * compiling process wrote the files next to the module.
 */
import type { AskedTheorem, ModuleReport } from '@stp/lean-kernel';
import { DEFAULT_LIMITS } from '@stp/lean-kernel/defaults';
import { checkModuleInThread } from '@stp/lean-kernel/thread';
import type { ToolContext } from '../certificate/run-tool.ts';
import { toolchainFolder } from './toolchain-folder.ts';

/** Wall time limit on a busy machine, ms. A file of 300 proofs takes some seconds. */
const TIMEOUT_MS = 600_000;

export interface InspectTask extends ToolContext {
  /** Path of the compiled module. */
  readonly path: string;
  readonly asked?: readonly AskedTheorem[];
  /** Path of the module with the statements of the requested theorems. */
  readonly statedPath?: string;
  /**
   * Folder of imported modules that are not a library. Their declarations in a statement are reported like those of its
   * own module.
   */
  readonly neighboursFolder?: string;
  /** Folder for an index from constants to modules; null for none. */
  readonly indexFolder: string | null;
}

/** Returns why the module could not be read, or the report. Rejects only with the signal's reason. */
export async function inspectModule(task: InspectTask): Promise<ModuleReport | { readonly unread: string }> {
  const { processContext, signal, path, asked, statedPath, indexFolder, neighboursFolder = null } = task;
  try {
    const own = await toolchainFolder(task);
    if (own === null) return { unread: 'Lean does not say where its library is' };
    const searchPath = [...processContext.environment.searchPath, own];
    const stated = statedPath === undefined ? {} : { statedPath };
    const request = {
      path,
      searchPath,
      toolchainFolder: own,
      neighboursFolder,
      indexFolder,
      // With `prelude` a module need not import the constants that give every statement its meaning.
      takenModules: ['Init'],
      fuel: DEFAULT_LIMITS.fuel,
      ...stated,
    };
    const bounds = { timeoutMs: TIMEOUT_MS, signal };
    const report = await checkModuleInThread(asked === undefined ? request : { ...request, asked }, bounds);
    // If the file as a whole could not be read, it has no constants, and the reason names no declaration.
    if (report.verdict === 'declined' && report.constants.length === 0 && report.declined[0]?.declaration === '')
      return { unread: report.declined[0].reason };
    return report;
  } catch (error) {
    signal?.throwIfAborted();
    return { unread: (error as Error).message };
  }
}
