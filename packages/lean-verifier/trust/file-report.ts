import type { CheckRecord, LeanMessage, SandboxFacts } from '@stp/config/records';
import type { LeanExit } from '../runtime/process/spawn.ts';
import type { Sandbox } from '../runtime/sandbox/sandbox.ts';
import type { DeclarationAxioms } from './object/findings.ts';
import type { Meaning } from './object/meaning.ts';

export type FileVerdict = 'accepted' | 'rejected' | 'unchecked';

/** A theorem, or an axiom, which is never accepted. */
export interface TheoremReport {
  readonly name: string;
  readonly verdict: FileVerdict;
  /** Where its declaration begins: 1-based line, 0-based column, as Lean counts. */
  readonly line: number;
  readonly column: number;
  /** Why it is not accepted; empty where it is. */
  readonly message: string;
  /** It is an example, and has no name. */
  readonly isExample?: true;
  /** Facts that can deceive a reader of its statement; missing if there are none. */
  readonly meaning?: Meaning;
  /** All axioms that it rests on, the allowed ones too, sorted. */
  readonly axioms: readonly string[];
}

/** Whether the file has a constant of the statement's name, and whether its type is that of the statement. */
export interface StatedReport {
  readonly name: string;
  readonly statement: 'same' | 'other' | 'missing';
}

export interface FileReport {
  readonly path: string;
  /**
   * `accepted`: there are theorems and all are accepted. `rejected`: something is wrong. `unchecked`: there is no
   * verdict.
   */
  readonly outcome: FileVerdict;
  /** In the order of the file; none where it has errors that are not set aside, or its object could not be read. */
  readonly theorems: readonly TheoremReport[];
  /** The same of its examples; missing if there is none. */
  readonly examples?: readonly TheoremReport[];
  /** Declarations that are no theorems and rest on axioms, with all of these, in the order of the file; missing if there is none. */
  readonly others?: readonly DeclarationAxioms[];
  /** What the file holds of the statements that were asked for, in their order; missing if none were. */
  readonly stated?: readonly StatedReport[];
  /** Facts that can deceive a reader of the file, beside those of its theorems; missing if there are none. */
  readonly notes?: readonly string[];
  /** Whether the compiled module is where `offerAs` says. */
  readonly isOffered?: boolean;
  /** How the process ended that compiled the file; null where none was started for it (no text, too large, not judged). */
  readonly exit: LeanExit['how'] | null;
  /** Lean's messages about the file. */
  readonly messages: readonly LeanMessage[];
  /** Why the file as a whole is rejected or unchecked; empty where the theorems say it, or it is accepted. */
  readonly reason: string;
  readonly leanVersion: string;
  /** Hash of toolchain and library: which Lean said so. */
  readonly fingerprint: string;
  /** False with an assembled Lean, whose package holds the library's statements without their proofs. */
  readonly libraryHasProofs: boolean;
  /** The checks, in order; empty if Lean was not started. */
  readonly checks: readonly CheckRecord[];
  readonly sandbox: SandboxFacts;
  /** Memory of the process that compiled the file: its limit and the most resident memory that was seen. */
  readonly memory: { readonly bytesMax: number; readonly peakBytes: number };
}

export interface CheckFileOptions {
  /** Folder for the compiled module; what is made there is removed. */
  readonly scratchDirectory: string;
  readonly runMark?: string;
  readonly signal?: AbortSignal;
  /** Processor time of the process that compiles the file, ms; ten times that in wall time. */
  readonly timeoutMs?: number;
  /** Resident memory of the process that compiles the file, and of each that reads the module. */
  readonly memoryBytesMax?: number;
  /** Where Lean runs; without one as any program of this user. */
  readonly sandbox?: Sandbox;
  /** Keeps which compiled module holds which constant; without it this is found out once a process. */
  readonly indexFolder?: string;
  /** Where the compiled module goes for files that import it, if nothing speaks against it; without it nowhere. */
  readonly offerAs?: string;
  /** Folder of modules that the file may import and that were judged in the same way; their constants are no library's. */
  readonly neighboursFolder?: string;
  /** Where modules go that the two kernels disagree on; without it they are not kept. */
  readonly disagreementsFolder?: string;
  /**
   * Where Lean refuses proofs of the file, these are rejected and the other theorems are judged in a copy with `sorry` in their place;
   * without it no theorem of such a file has a verdict.
   */
  readonly sparesOthers?: boolean;
  /** A compiled module, made without the file, and the names of its constants that the file is to state as well. */
  readonly statements?: { readonly path: string; readonly names: readonly string[] };
}
