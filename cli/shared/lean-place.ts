/** The Lean, the sandbox and the scratch folder that a command uses to judge proofs. */
import { join } from 'node:path';
import { printableText } from '@stp/base';
import { type LeanEnvironment, openSandbox, type Sandbox, type SandboxPolicy } from '@stp/lean-verifier';
import { type CommandScratch, openCommandScratch, type ScratchCommand } from '../../infra/nodes/command-scratch.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import type { WorkerSettings } from '../../workers/settings.ts';

export interface LeanPlace {
  readonly environment: LeanEnvironment;
  readonly sandbox: Sandbox;
  /** The caller of `openLeanPlace` removes it. */
  readonly scratch: CommandScratch;
  /** Which compiled module holds which constant, kept between calls. */
  readonly indexFolder: string;
}

/** Gets what is missing, with a line of progress each on standard error. */
export async function openLeanPlace(
  command: ScratchCommand,
  settings: WorkerSettings,
  policy: SandboxPolicy,
  signal: AbortSignal,
  findLean: typeof leanEnvironment = leanEnvironment,
): Promise<LeanPlace> {
  const { cacheDirectory, scratchDirectory } = settings;
  const onProgress = (line: string): void => console.error(printableText(line));
  const environment = await findLean(settings, onProgress, signal);
  const sandbox = await openSandbox(policy, { cacheDirectory, environment, install: 'auto', onProgress, signal });
  const scratch = await openCommandScratch(scratchDirectory, command);
  return { environment, sandbox, scratch, indexFolder: join(cacheDirectory, 'constants') };
}

/** Which Lean and in which walls, in words. */
export function describePlace({ environment, sandbox }: Pick<LeanPlace, 'environment' | 'sandbox'>): string {
  const { kind, description } = sandbox.facts;
  return `${environment.version}${kind === 'none' ? ', without a sandbox' : ` in ${description}`}`;
}
