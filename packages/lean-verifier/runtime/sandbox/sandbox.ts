/**
 * The `Sandbox` port: limits what a Lean process may see and do. Lean runs code during elaboration, so text from a
 * model may become a program on this machine. A sandbox wraps a command line so that it runs inside. Before the first
 * check a probe shows that the sandbox holds (`open-sandbox.ts`).
 */

import type { SandboxFacts } from '@stp/config/records';

/**
 * Access that a process needs beyond the access of every process (system libraries, a private /tmp, /proc, /dev). All
 * paths are absolute.
 */
export interface SandboxAccess {
  /** Files and folders that it may read: the toolchain, compiled modules (`access.ts` names them for a Lean). */
  readonly readOnly: readonly string[];
  /** Folders that it may write to, such as the folder of a compiled module. Empty for a check. */
  readonly writable: readonly string[];
  /** Where it starts. If that folder is invisible inside, the private /tmp. */
  readonly workingDirectory: string;
}

export type { SandboxFacts };

export interface Sandbox {
  readonly facts: SandboxFacts;
  /**
   * Returns the command line to run instead of `command`. The caller sets the environment variables; there are no
   * others. The process group of the started process need not contain all processes, but all of them end with it.
   */
  wrap(command: readonly string[], access: SandboxAccess): readonly string[];
  /** Whether the process ended because the sandbox could not be set up; then `command` never started. */
  failedToStart(end: { readonly code: number | null; readonly stderr: string }): boolean;
}

/** Runs commands unchanged. Used only if a person or a preset asks for it. */
export function noSandbox(why: string): Sandbox {
  return { facts: { kind: 'none', description: why }, wrap: (command) => command, failedToStart: () => false };
}
