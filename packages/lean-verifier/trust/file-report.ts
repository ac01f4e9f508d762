/** The options of a check of a whole Lean file, and its report: a verdict for each theorem and for the file. */
import type { CheckRecord, LeanMessage, SandboxFacts } from '@stp/config/records';
import type { LeanExit } from '../runtime/process/spawn.ts';
import type { Sandbox } from '../runtime/sandbox/sandbox.ts';
import type { DeclarationAxioms } from './object/findings.ts';
import type { Meaning } from './object/meaning.ts';

export type FileVerdict = 'accepted' | 'rejected' | 'unchecked';

/** The report on a theorem, or on an axiom, which is never accepted. */
export interface TheoremReport {
  readonly name: string;
  readonly verdict: FileVerdict;
  /** Position of the declaration: 1-based line, 0-based column in code points. */
  readonly line: number;
  readonly column: number;
  /** Why it is not accepted; empty if it is. */
  readonly message: string;
  /** The declaration is an example, which has no name. */
  readonly isExample?: true;
  /** Facts that can mislead a reader of the statement. Missing if there are none. */
  readonly meaning?: Meaning;
  /** All axioms that the theorem depends on, including the allowed ones, sorted. */
  readonly axioms: readonly string[];
}

/** Whether the file has a constant with the statement's name, and whether its type equals the statement's. */
export interface StatedReport {
  readonly name: string;
  readonly statement: 'same' | 'other' | 'missing';
}

export interface FileReport {
  readonly path: string;
  /**
   * `accepted`: there are theorems, and all are accepted. `rejected`: something is wrong. `unchecked`: there is no
   * verdict.
   */
  readonly outcome: FileVerdict;
  /**
   * Theorems in the order of the file. Empty if the file has errors that are not set aside, or if its module could not
   * be read.
   */
  readonly theorems: readonly TheoremReport[];
  /** Reports on its examples. Missing if there are none. */
  readonly examples?: readonly TheoremReport[];
  /**
   * Other declarations that depend on axioms, with all their axioms, in the order of the file. Missing if there are
   * none.
   */
  readonly others?: readonly DeclarationAxioms[];
  /**
   * For each requested statement, whether the file states it, in the order of the request. Missing if none were
   * requested.
   */
  readonly stated?: readonly StatedReport[];
  /** Facts that can mislead a reader of the file, in addition to those of its theorems. Missing if there are none. */
  readonly notes?: readonly string[];
  /** Whether the compiled module was written to `offerAs`. */
  readonly isOffered?: boolean;
  /** How the process that compiled the file ended. Null if none was started (no text, too large, not judged). */
  readonly exit: LeanExit['how'] | null;
  readonly messages: readonly LeanMessage[];
  /**
   * Why the file as a whole is rejected or unchecked. Empty if the theorems give the reason, or if the file is
   * accepted.
   */
  readonly reason: string;
  readonly leanVersion: string;
  /** Hash of toolchain and library, which identifies the Lean in use. */
  readonly fingerprint: string;
  /** False for an assembled Lean, whose package has the library's statements without proofs. */
  readonly libraryHasProofs: boolean;
  /** The checks, in order. Empty if Lean was not started. */
  readonly checks: readonly CheckRecord[];
  readonly sandbox: SandboxFacts;
  /** Memory of the process that compiled the file, bytes: its limit and its peak resident memory. */
  readonly memory: { readonly bytesMax: number; readonly peakBytes: number };
}

export interface CheckFileOptions {
  /** Folder for the compiled module. Files made there are removed. */
  readonly scratchDirectory: string;
  readonly runMark?: string;
  readonly signal?: AbortSignal;
  /** Processor time limit of the compiling process, ms. The wall-time limit is ten times that. */
  readonly timeoutMs?: number;
  /** Limit on the resident memory of the compiling process, and of each process that reads the module, bytes. */
  readonly memoryBytesMax?: number;
  /** The sandbox for Lean. Missing: Lean runs with all rights of this user. */
  readonly sandbox?: Sandbox;
  /**
   * Folder for an index from constants to the compiled modules that contain them. Missing: each process builds its own
   * index.
   */
  readonly indexFolder?: string;
  /**
   * Path to which the compiled module is copied for files that import it, if nothing speaks against it. Missing: it is
   * not copied.
   */
  readonly offerAs?: string;
  /** Folder of already judged modules that the file may import. Their constants do not count as library constants. */
  readonly neighboursFolder?: string;
  /**
   * If Lean refuses proofs of the file, reject these and judge the other theorems in a copy that has `sorry` in their
   * place. Missing: no theorem of the file gets a verdict.
   */
  readonly sparesOthers?: boolean;
  /** A module compiled without the file, and the names of its constants that the file must state too. */
  readonly statements?: { readonly path: string; readonly names: readonly string[] };
}
