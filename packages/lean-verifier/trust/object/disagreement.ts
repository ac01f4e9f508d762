/** Disagreements of the kernels: Lean accepts a module and the second kernel rejects something in it. */
import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { StpError } from '@stp/base';
import type { ModuleReport } from '@stp/lean-kernel';

/** Called with the module's path and the second kernel's report. */
export type OnDisagreement = (path: string, report: ModuleReport) => Promise<void>;

/**
 * Returns a handler that copies modules into `folder` and calls `tell` with an error for a person: one of the kernels
 * is wrong, or Lean's kernel was bypassed.
 */
export function keepDisagreements(folder: string, tell: (error: StpError) => void): OnDisagreement {
  return async (path, report) => {
    const copy = join(folder, basename(path));
    let kept = `kept as ${copy}`;
    try {
      await mkdir(folder, { recursive: true });
      await copyFile(path, copy);
    } catch (error) {
      kept = `it could not be kept: ${(error as Error).message}`;
    }
    const { message, rule } = report.rejected[0]!;
    tell(
      new StpError(
        'STP1802',
        `Lean accepts a compiled module and the second kernel rejects it (${kept}): ${message} (rule: ${rule})`,
        'A proof went past Lean’s kernel, or one of the two kernels is wrong. The proofs are not rewarded. See docs/kernel.md, then `bin/stp kernel --olean` on the file.',
      ),
    );
  };
}
