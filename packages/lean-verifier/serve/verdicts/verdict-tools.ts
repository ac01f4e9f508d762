/**
 * The tools with which the service judges, in addition to raw checks of Lean: a verifier, and readers of answers and
 * files from other packages. The command that starts the service assembles them.
 */
import type { Verifier } from '../../verifier.ts';
import type { FileJudge } from './file-judge.ts';

/** A statement with its header; null is the library header. */
export interface StatedTheorem {
  readonly header: string | null;
  /** `theorem NAME BINDERS : TYPE`. */
  readonly statement: string;
}

export interface GivenAnswer extends StatedTheorem {
  readonly answer: string;
  /** A name from `VerdictTools.formats`. */
  readonly format: string;
  /** `length`: the answer stopped at its token limit. */
  readonly finish: 'stop' | 'length';
  /** What to do with an answer that states another theorem. Missing: as the format prescribes. */
  readonly whenChanged?: 'ours' | 'refuse' | undefined;
}

/** The proof that an answer gives for the statement, or the reason why there is none. */
export type ReadProof =
  | {
      readonly kind: 'proof';
      readonly proof: string;
      /** The answer states another theorem; its proof is tried on the given one. */
      readonly changed: boolean;
      /** Commands of the answer that are left out when its proof is tried. */
      readonly dropped?: string;
    }
  | { readonly kind: 'refused'; readonly verdict: 'no_proof' | 'changed_statement'; readonly message: string };

/** The outcome of an attempt to disprove a statement. */
export type Refutation =
  | {
      readonly verdict: 'disproved';
      readonly words: string;
      readonly statement: string;
      readonly proof: string;
    }
  | { readonly verdict: 'unknown' | 'invalid' | 'infra'; readonly words: string; readonly statement: string | null };

export interface VerdictTools {
  readonly verifier: Verifier;
  readonly files: FileJudge;
  /** Names of the prompt formats in which answers can be read. */
  readonly formats: readonly string[];
  readAnswer(given: GivenAnswer): ReadProof;
  /**
   * Returns the theorems of a file that `verify` could judge by rows, in order, each with the text above it as header.
   */
  theoremsIn(text: string): readonly (StatedTheorem & { readonly name: string })[];
  /** `tactics` are tried on the whole negation. Missing: the default tactics. */
  disprove(stated: StatedTheorem, tactics: readonly string[] | undefined, signal: AbortSignal): Promise<Refutation>;
}
