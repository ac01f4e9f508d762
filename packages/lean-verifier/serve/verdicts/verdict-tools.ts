/**
 * Tools by which the service judges, beside raw checks of Lean: a verifier, and readers of answers and files that other packages have.
 * The command that starts the service puts them together.
 */
import type { Verifier } from '../../verifier.ts';
import type { FileJudge } from './file-judge.ts';

/** A statement below its header; a null header is the library's. */
export interface StatedTheorem {
  readonly header: string | null;
  /** `theorem NAME BINDERS : TYPE`. */
  readonly statement: string;
}

/** A model's answer to a statement. */
export interface GivenAnswer extends StatedTheorem {
  readonly answer: string;
  /** A name of `VerdictTools.formats`. */
  readonly format: string;
  /** `length`: the answer ended at its token limit. */
  readonly finish: 'stop' | 'length';
  /** What happens to an answer that states another theorem; without it, what the format says. */
  readonly whenChanged?: 'ours' | 'refuse' | undefined;
}

/** The proof that an answer gives for the statement, or why it gives none. */
export type ReadProof =
  | {
      readonly kind: 'proof';
      readonly proof: string;
      /** The answer states another theorem; the proof is tried under the given one. */
      readonly changed: boolean;
      /** Commands of the answer that the proof is tried without. */
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
  /** Judges whole files. */
  readonly files: FileJudge;
  /** Names of prompt formats by which answers are read. */
  readonly formats: readonly string[];
  readAnswer(given: GivenAnswer): ReadProof;
  /** The theorems of a file that are written in a form that can be proved by rows, in order, each with what stands above it. */
  theoremsIn(text: string): readonly (StatedTheorem & { readonly name: string })[];
  /** `tactics`: for the negation as a whole; without them the usual ones. */
  disprove(stated: StatedTheorem, tactics: readonly string[] | undefined, signal: AbortSignal): Promise<Refutation>;
}
