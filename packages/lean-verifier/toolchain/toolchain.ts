/** The project's view of a Lean toolchain: an executable, and the claims that its verdicts support. */
import type { LeanSource } from '../verifier.ts';

export interface Toolchain {
  readonly source: LeanSource;
  /** Absolute path of `lean`. */
  readonly executable: string;
  /** For people and records: `Lean 4.35.0` or `Lean 4.35.0, assembled (library 4.28)`. */
  readonly version: string;
  /** Content hash or version line that changes whenever verdicts could. */
  readonly identity: string;
  /** True where the library's proofs are not in the package, so `#print axioms` lists library theorems (assembled Lean). */
  readonly toleratesLibraryAxioms: boolean;
}
