/**
 * Judges a compiled module: lists its contents and asks the second kernel about them, on a thread of this process that
 * reads the module and runs none of its code. Imports are searched in the environment's folders only, because the
 * compiling process wrote the files next to the module.
 */
import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { StpError } from '@stp/base';
import type { AskedTheorem, ModuleReport } from '@stp/lean-kernel';
import { DEFAULT_LIMITS } from '@stp/lean-kernel/defaults';
import { judgeInThread } from '@stp/lean-kernel/thread';
import type { ToolPlace } from '../certificate/run-tool.ts';
import { toolchainFolder } from './toolchain-folder.ts';

/** A file of 300 proofs takes some seconds; wall time, on a machine that does much else. */
const TIMEOUT_MS = 600_000;

export interface ObjectTask extends ToolPlace {
  /** The compiled module. */
  readonly path: string;
  readonly asked?: readonly AskedTheorem[];
  /** Module of the statements of what is asked. */
  readonly statedPath?: string;
  /** Folder of imported modules that are no library: what a statement takes from them is told like its own module's. */
  readonly neighboursFolder?: string;
  /** Keeps which module holds which constant; null keeps nothing. */
  readonly indexFolder: string | null;
}

/** Why nothing could be read of the module, or the report. Rejects only with the signal's reason. */
export async function judgeObject(task: ObjectTask): Promise<ModuleReport | { readonly unread: string }> {
  const { place, signal, path, asked, statedPath, indexFolder, neighboursFolder = null } = task;
  try {
    const own = await toolchainFolder(task);
    if (own === null) return { unread: 'Lean does not say where its library is' };
    const searchPath = [...place.environment.searchPath, own];
    const stated = statedPath === undefined ? {} : { statedPath };
    const request = {
      path,
      searchPath,
      toolchainFolder: own,
      neighboursFolder,
      indexFolder,
      // Below `prelude` a module need not import what gives the words of every statement their meaning.
      takenModules: ['Init'],
      fuel: DEFAULT_LIMITS.fuel,
      ...stated,
    };
    const bounds = { timeoutMs: TIMEOUT_MS, signal };
    const report = await judgeInThread(asked === undefined ? request : { ...request, asked }, bounds);
    // A file that could not be read as a whole has no constants, and its reason names none.
    if (report.verdict === 'declined' && report.constants.length === 0 && report.declined[0]?.declaration === '')
      return { unread: report.declined[0].reason };
    return report;
  } catch (error) {
    signal?.throwIfAborted();
    return { unread: (error as Error).message };
  }
}

/**
 * Lean accepted a module and the second kernel rejects something in it: one of the two is wrong, or Lean's kernel was
 * bypassed. This reports it to a person and keeps the module; `folder` null keeps none.
 */
export async function tellDisagreement(path: string, report: ModuleReport, folder: string | null): Promise<void> {
  let kept = 'it was not kept';
  if (folder !== null) {
    const copy = join(folder, basename(path));
    try {
      await mkdir(folder, { recursive: true });
      await copyFile(path, copy);
      kept = `kept as ${copy}`;
    } catch (error) {
      kept = `it could not be kept: ${(error as Error).message}`;
    }
  }
  const { message, rule } = report.rejected[0]!;
  const disagreement = new StpError(
    'STP1802',
    `Lean accepts a compiled module and the second kernel rejects it (${kept}): ${message} (rule: ${rule})`,
    'A proof went past Lean’s kernel, or one of the two kernels is wrong. The proofs are not rewarded. See docs/kernel.md, then `bin/stp kernel --olean` on the file.',
  );
  console.error(disagreement.toText());
}
