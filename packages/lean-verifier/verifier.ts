/**
 * The `Verifier` port: candidates in, one verdict each out. Every implementation (a pool of Lean processes on this node
 * over any driver, servers elsewhere) gives the same verdicts on the same corpus.
 */
import type { Certificate, LeanMessage, SandboxFacts, VerdictKind } from '@stp/config/records';
import type { DriverName } from './runtime/process/driver.ts';

/** Where the Lean in use came from (`lean-toolchain` order). */
export type LeanSource = 'configured' | 'path' | 'elan' | 'assembled';

export interface LeanEnvironment {
  readonly source: LeanSource;
  /** Absolute path of the `lean` executable. */
  readonly executable: string;
  /** Shown to people and written on every verdict: `Lean 4.35.0` or `Lean 4.35.0, assembled (library 4.28)`. */
  readonly version: string;
  /** Folders of compiled modules for LEAN_PATH beside the toolchain's own, in order. */
  readonly searchPath: readonly string[];
  /** Content hash over the toolchain's identity and every library file: part of a verdict's cache key. */
  readonly fingerprint: string;
  /** Axioms `#print axioms` may list beyond propext, Quot.sound and Classical.choice: names of the toolchain's own
   *  library where its proofs are not in the package (assembled Lean), decided by a test on the name. */
  readonly toleratesLibraryAxioms: boolean;
  /** Hash over the modules of the Lake project that was added. */
  readonly project?: string;
  /** Where its modules are, and what `moduleMarks` said of them when they were read. */
  readonly projectModules?: { readonly folders: readonly string[]; readonly marks: string };
  /** Compiled modules that a run has added to the search path, in order; missing: there is none. */
  readonly grown?: readonly GrownObject[];
}

/** A compiled module of a grown library, bound to the bytes that were judged. */
export interface GrownObject {
  readonly path: string;
  /** SHA-256, hex. */
  readonly hash: string;
}

export interface Candidate {
  readonly id: string;
  /** Imports and opens, or null for the library header. */
  readonly header: string | null;
  /**
   * The header that fixes what the statement means, where `header` adds a grown library to it; null for the library header.
   * Missing: `header` itself.
   */
  readonly statedUnder?: string | null;
  /** `theorem NAME BINDERS : TYPE` without `:=`. Ours, never the model's, for dataset statements. */
  readonly statement: string;
  /** Tactic block; untrusted. */
  readonly proof: string;
}

export interface CheckResult {
  readonly id: string;
  readonly kind: VerdictKind;
  readonly messages: readonly LeanMessage[];
  readonly premises: readonly string[];
  /** How its object was judged; there where it is proved and its object was asked for. */
  readonly certificate?: Certificate | undefined;
  /** Lean's kernel accepts its object, and the second kernel refuses it. */
  readonly isDisagreement?: true | undefined;
  /** Axioms outside the allowed set. */
  readonly axioms: readonly string[];
  /** Processor time Lean spent on it (its part, by time, of its run's), ms, without the wait for a process and the import of the header. */
  readonly checkMs: number;
  /** Time it waited for a process, ms, over all tries; missing where Lean was not asked now. */
  readonly queueMs?: number;
  /** Most resident memory of the process while it checked this one alone, bytes; missing where others were in the same run. */
  readonly peakResidentBytes?: number;
  /** How Lean was spoken to; missing where it was not asked now. */
  readonly driver?: DriverName;
  readonly fromCache: boolean;
}

/** A statement is well-formed (`accepted`) when `theorem NAME … : TYPE` elaborates to a proposition. */
export interface StatementResult {
  readonly id: string;
  readonly kind: 'accepted' | 'rejected' | 'forbidden' | 'timeout' | 'crash' | 'header_error' | 'infra';
  readonly messages: readonly LeanMessage[];
}

export interface CheckOptions {
  /** Ends the call: running processes are killed by process group, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called after each verdict, in any order. */
  readonly onResult?: (result: CheckResult) => void;
  /** Checks every candidate alone in a fresh process, past the cache. */
  readonly alone?: true;
  /**
   * False: a proof that Lean accepted counts at once, without a look at its compiled object and without a certificate. For proofs
   * of our own whose verdict can only take something away. Default true.
   */
  readonly confirm?: boolean;
  /** A proof that exceeds the small limits is a `timeout` at once, not tried again under the big ones. For what should be cheap. */
  readonly smallLimitsOnly?: boolean;
  /** Heartbeats of one proof; the meaning is that of `BaseLimits`. */
  readonly heartbeatsMax?: number | null | undefined;
  /**
   * Whether the result explains a rejection. Without an explanation it has one message that says so, and Lean rejects in about
   * half the time. Default: every rejection is explained.
   */
  readonly explains?: (candidate: Candidate) => boolean;
}

export interface Verifier {
  readonly environment: LeanEnvironment;
  /** The sandbox of its Lean. */
  readonly sandbox: SandboxFacts;
  /** Verdicts in the order of the candidates. Never rejects for what a candidate does. */
  check(candidates: readonly Candidate[], options?: CheckOptions): Promise<readonly CheckResult[]>;
  /** Do these statements elaborate? (No proof is tried.) The statement text may be untrusted here. */
  checkStatements(
    statements: readonly { id: string; header: string | null; statement: string }[],
    options?: Pick<CheckOptions, 'signal' | 'heartbeatsMax'>,
  ): Promise<readonly StatementResult[]>;
  /** Ends every process this verifier started. */
  close(): Promise<void>;
}
