/**
 * The resources of the tools: the project folder, its Lean, and the certificates so far. The command line opens them.
 */
import type { LeanPositions, Suggester } from '@stp/editor';
import type { LeanEnvironment, Sandbox, Verifier } from '@stp/lean-verifier';
import type { KeptCertificates } from './certificates.ts';
import type { ProjectFolder } from './project-folder.ts';

/** An open Lean with warm processes. */
export interface LeanBench {
  readonly environment: LeanEnvironment;
  readonly sandbox: Sandbox;
  readonly scratchDirectory: string;
  readonly runMark: string;
  readonly indexFolder: string;
  readonly memoryBytesMax: number;
  readonly verifier: Verifier;
  /** Goals and tactics in files. */
  readonly positions: LeanPositions;
  readonly suggester: Suggester;
}

export interface ToolCall {
  /**
   * Aborts when the client cancels or disconnects, when the server closes, and with `late`; for a tool that answers
   * late, some time after it.
   */
  readonly signal: AbortSignal;
  /** Aborts at the end of the call's time. A tool that answers late then does so. */
  readonly late: AbortSignal;
  /** Reports progress to the client. */
  readonly tell: (what: string) => void;
}

export interface Workbench {
  readonly folder: ProjectFolder;
  readonly certificates: KeptCertificates;
  /** Texts of the modules of this repository's library, for files that import them. */
  readonly libraryTexts: () => Promise<readonly string[]>;
  /** Runs the work with Lean, which the first call opens. Rejects if there is no Lean, or with the call's reason. */
  withLean<T>(call: ToolCall, work: (lean: LeanBench) => Promise<T>): Promise<T>;
}
