/**
 * The `Verifier` port: takes candidates and gives one verdict for each. Every implementation (a pool of Lean processes
 * on this machine with any driver, or remote servers) gives the same verdicts on the same corpus.
 */
import type { Certificate, LeanMessage, SandboxFacts, VerdictKind } from '@stp/config/records';
import type { DriverName } from './runtime/process/driver.ts';

/** How the Lean in use was found, in the order in which `lean-toolchain` searches. */
export type LeanSource = 'configured' | 'path' | 'elan' | 'assembled';

export interface LeanEnvironment {
  readonly source: LeanSource;
  /** Absolute path of the `lean` executable. */
  readonly executable: string;
  /** Shown to people and stored in every verdict: `Lean 4.35.0` or `Lean 4.35.0, assembled (library 4.28)`. */
  readonly version: string;
  /** Folders of compiled modules that LEAN_PATH lists in addition to the toolchain's own, in order. */
  readonly searchPath: readonly string[];
  /** Hash of the toolchain's identity and of every library file. It is part of a verdict's cache key. */
  readonly fingerprint: string;
  /**
   * Whether `#print axioms` may list more than propext, Quot.sound and Classical.choice: an assembled Lean declares
   * theorems of its library as axioms, because the packages lack their proofs. A test on the name decides which axioms
   * these are.
   */
  readonly toleratesLibraryAxioms: boolean;
  /** Hash of the modules of the Lake project that was added. */
  readonly project?: string;
  /** Folders of the project's modules, and the value of `moduleMarks` when they were read. */
  readonly projectModules?: { readonly folders: readonly string[]; readonly marks: string };
  /** Compiled modules that a run has added to the search path, in order. Missing if there are none. */
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
   * The header that fixes the meaning of the statement, if `header` adds a grown library to that header; null for the
   * library header. Missing: `header` itself.
   */
  readonly statedUnder?: string | null;
  /** `theorem NAME BINDERS : TYPE` without `:=`. For statements of a dataset this is our text, never the model's. */
  readonly statement: string;
  /** Tactic block; untrusted. */
  readonly proof: string;
}

export interface CheckResult {
  readonly id: string;
  readonly kind: VerdictKind;
  readonly messages: readonly LeanMessage[];
  readonly premises: readonly string[];
  /**
   * How the proof's compiled module was judged. Present if the proof counts as proved and the caller asked for
   * confirmation.
   */
  readonly certificate?: Certificate | undefined;
  /** Lean's kernel accepts the compiled module, but the second kernel refuses it. */
  readonly isDisagreement?: true | undefined;
  /** Axioms outside the allowed set. */
  readonly axioms: readonly string[];
  /**
   * Processor time that Lean spent on this candidate, ms: its share of the run's time. Excludes the wait for a process
   * and the import of the header.
   */
  readonly checkMs: number;
  /** Time spent waiting for a process, ms, summed over all tries. Missing if Lean was not asked this time. */
  readonly queueMs?: number;
  /** Peak resident memory of the process, bytes. Present only if the candidate was checked alone in a run. */
  readonly peakResidentBytes?: number;
  /** The driver that was used. Missing if Lean was not asked this time. */
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
  /** Aborts the call: it kills the running process groups, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called after each verdict, in any order. */
  readonly onResult?: (result: CheckResult) => void;
  /** Checks every candidate in a fresh process without others, and ignores the cache. */
  readonly alone?: true;
  /**
   * False: a proof that Lean accepted counts at once; its compiled module is not judged and there is no certificate.
   * Only for our own proofs, whose verdict can do no more than remove something. Default: true.
   */
  readonly confirm?: boolean;
  /**
   * A proof that exceeds the small limits is a `timeout` at once, instead of being tried again under the big limits.
   */
  readonly smallLimitsOnly?: boolean;
  /** Maximum heartbeats for one proof, as in `BaseLimits`. */
  readonly heartbeatsMax?: number | null | undefined;
  /**
   * Processor time for one proof under the small limits, ms; the big limit is twice that. The judgement of modules keeps
   * its own limits. Default: the verifier's.
   */
  readonly candidateTimeoutMs?: number | undefined;
  /**
   * Whether the result explains a rejection. If not, the result has one message that says so, and Lean rejects in about
   * half the time. Default: every rejection is explained.
   */
  readonly explains?: (candidate: Candidate) => boolean;
}

export interface Verifier {
  readonly environment: LeanEnvironment;
  readonly sandbox: SandboxFacts;
  /** Returns verdicts in the order of the candidates. Never rejects because of a candidate's content. */
  check(candidates: readonly Candidate[], options?: CheckOptions): Promise<readonly CheckResult[]>;
  /** Tests whether statements elaborate, without trying a proof. The statements may be untrusted text. */
  checkStatements(
    statements: readonly { id: string; header: string | null; statement: string }[],
    options?: Pick<CheckOptions, 'signal' | 'heartbeatsMax'>,
  ): Promise<readonly StatementResult[]>;
  /** Ends every process this verifier started. */
  close(): Promise<void>;
}
