/** A Lean toolchain: its executable, and the facts on which verdicts rest. */
import type { LeanSource } from '../verifier.ts';

export interface Toolchain {
  readonly source: LeanSource;
  /** Absolute path of `lean`. */
  readonly executable: string;
  /** For people and records: `Lean 4.35.0` or `Lean 4.35.0, assembled (library 4.28)`. */
  readonly version: string;
  /** Hash of the content, or version line. Changes whenever verdicts could change. */
  readonly identity: string;
  /** Whether `#print axioms` lists library theorems because the library's proofs are missing (assembled Lean). */
  readonly toleratesLibraryAxioms: boolean;
}
