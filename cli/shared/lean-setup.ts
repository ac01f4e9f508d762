/** The Lean, the sandbox and the scratch folder with which a command judges proofs. */
import { join } from 'node:path';
import { printableText } from '@stp/base';
import {
  type LeanEnvironment,
  type OnDisagreement,
  openSandbox,
  type Sandbox,
  type SandboxPolicy,
} from '@stp/lean-verifier';
import { type CommandScratch, openCommandScratch, type ScratchCommand } from '../../infra/nodes/command-scratch.ts';
import { disagreementsIn } from '../../workers/disagreements.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import type { WorkerSettings } from '../../workers/settings.ts';

export interface LeanSetup {
  readonly environment: LeanEnvironment;
  readonly sandbox: Sandbox;
  /** Removed by the caller of `openLeanSetup`. */
  readonly scratch: CommandScratch;
  /** Folder of the index from constants to compiled modules, kept between calls. */
  readonly indexFolder: string;
  /** Keeps a module on which the two kernels disagree, and prints an error. */
  readonly onDisagreement: OnDisagreement;
}

/** Installs what is missing, and prints each step's progress to standard error. */
export async function openLeanSetup(
  command: ScratchCommand,
  settings: WorkerSettings,
  policy: SandboxPolicy,
  signal: AbortSignal,
  findLean: typeof leanEnvironment = leanEnvironment,
): Promise<LeanSetup> {
  const { cacheDirectory, scratchDirectory } = settings;
  const onProgress = (line: string): void => console.error(printableText(line));
  const environment = await findLean(settings, onProgress, signal);
  const sandbox = await openSandbox(policy, { cacheDirectory, environment, install: 'auto', onProgress, signal });
  const scratch = await openCommandScratch(scratchDirectory, command);
  const indexFolder = join(cacheDirectory, 'constants');
  return { environment, sandbox, scratch, indexFolder, onDisagreement: disagreementsIn(cacheDirectory) };
}

/** Describes the Lean and its sandbox in words. */
export function describeSetup({ environment, sandbox }: Pick<LeanSetup, 'environment' | 'sandbox'>): string {
  const { kind, description } = sandbox.facts;
  return `${environment.version}${kind === 'none' ? ', without a sandbox' : ` in ${description}`}`;
}
