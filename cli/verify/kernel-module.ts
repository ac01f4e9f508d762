/** `stp kernel --olean FILE`: the second kernel's verdict on each theorem of a module that Lean compiled. */
import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';
import { printableJson, printableLine, printableText, StpError } from '@stp/base';
import type { ModuleReport } from '@stp/lean-kernel';
import { checkModuleInThread } from '@stp/lean-kernel/thread';
import { resolveToolchain } from '@stp/lean-verifier';
import { workerSettings } from '../../workers/settings.ts';

const EXIT_CODES = { accepted: 0, rejected: 1, declined: 2 } as const;
const LEAN_TIMEOUT_MS = 60_000;

export interface KernelModuleOptions {
  readonly olean: string;
  readonly searchPath?: readonly string[];
  readonly axioms: string;
  readonly fuel: number;
  readonly json?: boolean;
}

/** Returns the exit code: 0 accepted, 1 rejected, 2 declined or not readable. */
export async function kernelModule(options: KernelModuleOptions): Promise<number> {
  try {
    const searchPath = [...(options.searchPath ?? []), ...leanPath(), ...(await toolchainLibrary(options))];
    const report = await checkModuleInThread({ path: options.olean, searchPath, fuel: options.fuel });
    const foreign = foreignAxioms(report, options.axioms);
    const verdict = foreign.length > 0 ? 'rejected' : report.verdict;
    if (options.json) console.log(printableJson({ ...report, verdict, foreignAxioms: foreign }));
    else for (const line of toText(report, verdict, foreign)) console.log(printableLine(line));
    return EXIT_CODES[verdict];
  } catch (error) {
    if (!(error instanceof StpError)) throw error;
    console.error(printableText(error.toText()));
    return EXIT_CODES.declined;
  }
}

/** Returns theorems that depend on a forbidden axiom of the module itself. Axioms of the library are not counted. */
function foreignAxioms(report: ModuleReport, allowed: string): { theorem: string; axioms: string[] }[] {
  if (allowed === 'all') return [];
  const names = new Set(allowed.split(',').map((name) => name.trim()));
  return theoremsOf(report).flatMap(({ name, axioms }) => {
    const foreign = axioms.filter((axiom) => axiom.from === 'module' && !names.has(axiom.name));
    return foreign.length > 0 ? [{ theorem: name, axioms: foreign.map((axiom) => axiom.name) }] : [];
  });
}

const theoremsOf = ({ constants }: ModuleReport) => constants.filter(({ kind }) => kind === 'theorem');

const leanPath = (): string[] => (process.env.LEAN_PATH ?? '').split(delimiter).filter((folder) => folder !== '');

/** Returns the toolchain's library. If no Lean is found, only the named folders are searched. */
async function toolchainLibrary({ searchPath = [] }: KernelModuleOptions): Promise<string[]> {
  try {
    const { cacheDirectory } = workerSettings();
    const { executable } = await resolveToolchain({ cacheDirectory, install: 'never' });
    const { stdout } = await promisify(execFile)(executable, ['--print-libdir'], { timeout: LEAN_TIMEOUT_MS });
    return [stdout.trim()];
  } catch (error) {
    if (searchPath.length > 0) return [];
    throw error;
  }
}

function toText(
  report: ModuleReport,
  verdict: string,
  foreign: readonly { theorem: string; axioms: readonly string[] }[],
): string[] {
  const { rejected, declined, declarations } = report;
  const theorems = theoremsOf(report);
  const accepted = theorems.filter((theorem) => theorem.verdict === 'accepted').length;
  return [
    ...rejected.map(({ rule, message }) => `rejected  ${message} (rule: ${rule})`),
    ...foreign.map(({ theorem, axioms }) => `rejected  ${theorem} rests on ${axioms.join(', ')} (rule: axioms)`),
    ...declined.map(({ reason }) => `declined  ${reason}`),
    `${verdict}: ${declarations} declarations; of ${theorems.length} theorems ${accepted} accepted`,
  ];
}
