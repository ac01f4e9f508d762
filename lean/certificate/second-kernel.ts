/**
 * Our own kernel (`lean/kernel/`) checks the compiled module once more, over what it imports. It shares no code with Lean's,
 * so a fault in one of them would show. It declines what it does not cover or cannot decide within its limits, and that takes
 * nothing away. A rejection is a disagreement of two kernels: the theorem is refused, and the module is kept for a person.
 */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '../../data/errors.ts';
import { DEFAULT_LIMITS } from '../kernel/budget.ts';
import { checkModuleInThread } from '../kernel/olean/check-module-in-thread.ts';
import type { CheckedTheorem, ModuleReport } from '../kernel/olean/report.ts';
import type { Checker, CheckerAnswer, CompiledFile } from './checker.ts';
import { runTool } from './run-tool.ts';

/** In records; the certificate counts as checked twice by it. */
export const SECOND_KERNEL = 'second kernel';
/** Changes whenever a verdict could: the rules of `docs/kernel.md` and what of a compiled module is read. */
const VERSION = '1';
/** A file of 300 proofs takes some seconds; wall time, on a machine that does much else. */
const TIMEOUT_MS = 600_000;
const LIBRARY_TIMEOUT_MS = 60_000;
const REASONS_SHOWN = 3;

/** `keptFolder`: where a module goes that the two kernels disagree on; null keeps none. */
export function secondKernel(keptFolder: string | null): Checker {
  return {
    name: SECOND_KERNEL,
    version: async () => VERSION,
    async check(file) {
      const { environment } = file.place;
      const own = await libraryFolder(file);
      if (own === null) return { outcome: 'declined', detail: 'Lean does not say where its library is' };
      const path = join(file.directory, `${file.module}.olean`);
      // What lies beside the module was written by whoever compiled it.
      const searchPath = [...environment.searchPath.filter((folder) => folder !== file.directory), own];
      const request = { path, searchPath, fuel: DEFAULT_LIMITS.fuel };
      let report: ModuleReport;
      try {
        report = await checkModuleInThread(request, { timeoutMs: TIMEOUT_MS, signal: file.signal });
      } catch (error) {
        file.signal?.throwIfAborted();
        return { outcome: 'declined', detail: (error as Error).message };
      }
      if (report.verdict === 'rejected') await reportDisagreement(file, path, report, keptFolder);
      return answerFrom(report, file.theorems);
    },
  };
}

/** What the report says of these theorems. One it does not name was not looked at. */
export function answerFrom(report: ModuleReport, theorems: readonly string[]): CheckerAnswer {
  const looked = new Map(report.theorems.map((theorem) => [theorem.name, theorem]));
  const reasons = (found: readonly (CheckedTheorem | undefined)[]): string =>
    [...new Set(found.map((theorem) => theorem?.message ?? report.declined[0]?.reason ?? 'it is not in the module'))]
      .slice(0, REASONS_SHOWN)
      .join('; ');
  if (report.verdict === 'rejected') {
    const refused = theorems.filter((name) => looked.get(name)?.verdict === 'rejected');
    if (refused.length === 0) return { outcome: 'refused', detail: report.rejected[0]!.message };
    return { outcome: 'refused', detail: reasons(refused.map((name) => looked.get(name))), theorems: refused };
  }
  const declined = theorems.filter((name) => looked.get(name)?.verdict !== 'accepted');
  if (declined.length === 0) return { outcome: 'accepted', detail: '' };
  return { outcome: 'declined', detail: reasons(declined.map((name) => looked.get(name))), theorems: declined };
}

async function reportDisagreement(
  file: CompiledFile,
  path: string,
  report: ModuleReport,
  keptFolder: string | null,
): Promise<void> {
  let kept = 'it was not kept';
  if (keptFolder !== null) {
    const copy = join(keptFolder, `${file.module}.olean`);
    try {
      await mkdir(keptFolder, { recursive: true });
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
    'One of the two kernels is wrong. The proofs are not rewarded. See docs/kernel.md, then `bin/stp kernel --olean` on the file.',
  );
  console.error(disagreement.toText());
}

const folders = new Map<string, string>();

/** The toolchain's own compiled library; null where it does not say. */
async function libraryFolder(file: CompiledFile): Promise<string | null> {
  const { executable } = file.place.environment;
  const known = folders.get(executable);
  if (known !== undefined) return known;
  const exit = await runTool(file, {
    command: [executable, '--print-libdir'],
    workingDirectory: file.directory,
    timeoutMs: LIBRARY_TIMEOUT_MS,
  });
  const folder = exit.output.trim().split('\n').at(-1) ?? '';
  if (exit.how !== 'finished' || exit.code !== 0 || !folder.startsWith('/')) return null;
  folders.set(executable, folder);
  return folder;
}
