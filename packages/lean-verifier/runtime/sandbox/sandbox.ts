/**
 * The `Sandbox` port: limits what a Lean process may see and do. Lean runs code while it elaborates, so text from a
 * model may become a program on this machine. A sandbox turns a command line into one that runs inside it. A probe
 * before the first check shows that the sandbox holds; this is never assumed (`open-sandbox.ts`).
 */

import type { SandboxFacts } from '@stp/config/records';

/** Access that a process needs beyond what every process needs (system libraries, a private /tmp, /proc, /dev). Absolute paths. */
export interface SandboxAccess {
  /** Files and folders that it may read: the toolchain, compiled modules (`access.ts` names them for a Lean). */
  readonly readOnly: readonly string[];
  /** Folders that it may write to: where a module is compiled to. Empty for a check. */
  readonly writable: readonly string[];
  /** Where it starts; where it may see nothing of that folder, in the private /tmp. */
  readonly workingDirectory: string;
}

export type { SandboxFacts };

export interface Sandbox {
  readonly facts: SandboxFacts;
  /**
   * The command line to run in place of `command`. Environment variables are set by the caller and are the only ones. The
   * process group of what is started in its place need not hold all of it, but all of it ends with the first process.
   */
  wrap(command: readonly string[], access: SandboxAccess): readonly string[];
  /** Did the process end because the wall could not be put up? Then `command` was never started. */
  failedToStart(end: { readonly code: number | null; readonly stderr: string }): boolean;
}

/** Runs commands as they are. Only where a person or a preset says so. */
export function noSandbox(why: string): Sandbox {
  return { facts: { kind: 'none', description: why }, wrap: (command) => command, failedToStart: () => false };
}
