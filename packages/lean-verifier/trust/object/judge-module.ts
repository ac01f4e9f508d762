/**
 * Judges a compiled module of proofs against our own statements: its contents, the second kernel's verdict on every
 * constant, then the further checkers of this machine. Nothing that the compiling process said is run or trusted.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { CheckRecord } from '@stp/config/records';
import type { AskedTheorem } from '@stp/lean-kernel';
import { CHECKERS } from '../certificate/checkers.ts';
import { runCheckers } from '../certificate/run-checkers.ts';
import type { ToolContext } from '../certificate/run-tool.ts';
import type { OnDisagreement } from './disagreement.ts';
import { OBJECT, SECOND_KERNEL, type TheoremFinding } from './findings.ts';
import { inspectModule } from './inspect-module.ts';
import { findProofs, type ProofsExpected } from './proof-policy.ts';
import type { StatedModule } from './stated-module.ts';

export interface ModuleTask extends ToolContext {
  /** Folder that contains `<module>.olean`, the result of compiling `text`. */
  readonly directory: string;
  readonly module: string;
  readonly text: string;
  /** The theorems that the module must contain, and no others. */
  readonly asked: readonly AskedTheorem[];
  /**
   * Their statements, compiled by another process without the proofs. `wrong` uses the theorems' indices in `asked`.
   */
  readonly statements: StatedModule;
  readonly expected: Pick<ProofsExpected, 'importLines' | 'mayShare' | 'mayMark'>;
  readonly indexFolder: string | null;
  readonly onDisagreement: OnDisagreement | null;
  /**
   * If anything is wrong with the module, it will be compiled again, so a disagreement of kernels is not reported yet.
   */
  readonly isMadeAnew?: boolean;
}

export interface JudgedModule {
  /** In the order of `asked`. An objection may come from a further checker. */
  readonly theorems: readonly TheoremFinding[];
  /** The objection to the module and no theorem in particular; null if there is none. */
  readonly objection: string | null;
  /** Checkers that declined a theorem, by the theorem's name. */
  readonly declinedBy: ReadonlyMap<string, readonly string[]>;
  /** SHA-256 of the module, hex. */
  readonly objectHash: string;
  /** Records of the object judge, the second kernel and the further checkers. */
  readonly checks: readonly CheckRecord[];
  readonly times: { readonly objectMs: number; readonly checksMs: number };
}

/** Returns why the module could not be read, or the findings. Rejects only with the signal's reason. */
export async function judgeModule(task: ModuleTask): Promise<JudgedModule | { readonly unread: string }> {
  const { processContext, directory, module, statements, asked, expected, indexFolder, onDisagreement, text } = task;
  const path = `${directory}/${module}.olean`;
  const bounds = { processContext, signal: task.signal, memoryBytesMax: task.memoryBytesMax };
  const startedMs = performance.now();
  const objectHash = await hashOfFile(path);
  const statedPath = statements.path === null ? {} : { statedPath: statements.path };
  const report = await inspectModule({ ...bounds, path, indexFolder, asked, ...statedPath });
  if ('unread' in report) return report;
  const { toleratesLibraryAxioms } = processContext.environment;
  const found = findProofs(report, { ...expected, unreadable: statements.wrong, toleratesLibraryAxioms, text });
  const objectMs = performance.now() - startedMs;
  // Proofs in a batch are judged again one by one. A header that redefines a name of Lean's library is refused for that
  // reason.
  const isHeaders = found.theorems.some(({ misread }) => misread !== undefined);
  if (report.rejected.length > 0 && asked.length === 1 && !isHeaders && !task.isMadeAnew)
    await onDisagreement?.(path, report);
  const refused = found.theorems.some((theorem) => isRefused(theorem));
  const isSound = found.objection === null && !refused;
  const searchPath = [directory, ...processContext.environment.searchPath];
  const further = await runCheckers(isSound ? CHECKERS : [], {
    ...bounds,
    processContext: { ...processContext, environment: { ...processContext.environment, searchPath } },
    directory,
    module,
    theorems: asked.map(({ name }) => name),
  });
  const theorems = found.theorems.map((theorem) => {
    const against = further.objections.get(theorem.name);
    if (against === undefined) return theorem;
    const { restsOn, ...rest } = theorem;
    return { ...rest, objection: against };
  });
  const kernels = theorems.map(({ kernel }) => kernel);
  const kernel = kernels.includes('rejected') ? 'refused' : kernels.includes('declined') ? 'declined' : 'accepted';
  return {
    theorems,
    objection: found.objection ?? further.objections.get(null) ?? null,
    declinedBy: new Map(
      theorems.map(({ name, kernel: own }) => [
        name,
        [...(own === 'declined' ? [SECOND_KERNEL.name] : []), ...(further.declinedBy.get(name) ?? [])],
      ]),
    ),
    objectHash,
    checks: [
      { ...OBJECT_CHECK, outcome: isSound ? 'accepted' : 'refused', ms: Math.round(objectMs) },
      { ...KERNEL_CHECK, outcome: kernel, ms: Math.round(objectMs) },
      ...further.records,
    ],
    times: { objectMs, checksMs: further.records.reduce((total, { ms }) => total + ms, 0) },
  };
}

/**
 * A dependency on a part of another proof is not an objection to the module; this module just does not decide the
 * proof.
 */
export const isRefused = ({ objection, restsOn, kernel }: TheoremFinding): boolean =>
  kernel === 'rejected' || (objection !== null && restsOn !== 'another proof');

const OBJECT_CHECK = { by: OBJECT.name, version: OBJECT.version };
const KERNEL_CHECK = { by: SECOND_KERNEL.name, version: SECOND_KERNEL.version };

/** Returns the SHA-256 of a file, hex. */
export async function hashOfFile(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
