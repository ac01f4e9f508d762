/** The public problem sets that can be prepared: the shape of their rows, their header, and their origin. */
import type { DatasetFormat } from '../loaders/formats.ts';

/**
 * The header of statements from sets without headers: the four lines for which the statements were written, and with
 * which STP's model saw them.
 */
export const MATHLIB_HEADER = [
  'import Mathlib',
  'import Aesop',
  'set_option maxHeartbeats 0',
  'open BigOperators Real Nat Topology Rat',
].join('\n');

export interface PublicSet {
  readonly format: DatasetFormat;
  /** Header of rows without one. */
  readonly header: string | null;
  /** Skip and count rows that are no theorem (definitions that ask for a construction, answers that are not given). */
  readonly skipInvalid: boolean;
  readonly about: string;
  readonly licence: string;
}

export const PUBLIC_SETS = {
  minif2f: {
    format: 'minif2f',
    header: MATHLIB_HEADER,
    skipInvalid: true,
    about: 'miniF2F in Lean 4: statements of school and olympiad mathematics (arXiv 2109.00110).',
    licence: 'MIT, as the assets of STP that hold the file; miniF2F itself is Apache-2.0 in its Lean part.',
  },
  proofnet: {
    format: 'proofnet',
    header: MATHLIB_HEADER,
    skipInvalid: true,
    about: 'ProofNet in Lean 4: statements of undergraduate textbooks (arXiv 2302.12433).',
    licence: 'MIT, as ProofNet and the assets of STP that hold the file.',
  },
  putnam: {
    format: 'putnam-bench',
    header: MATHLIB_HEADER,
    skipInvalid: true,
    about: 'PutnamBench in Lean 4: problems of the William Lowell Putnam competition (arXiv 2407.11214).',
    licence: 'Apache-2.0 for the Lean 4 statements.',
  },
  leanworkbook: {
    format: 'lean-workbook',
    header: MATHLIB_HEADER,
    skipInvalid: true,
    about: 'LeanWorkbook: natural-language problems formalised by a model (arXiv 2406.03847).',
    licence: 'Apache-2.0.',
  },
  jsonl: {
    format: 'plain',
    header: null,
    skipInvalid: false,
    about: 'Statements of a file of rows {statement or formal_statement, header?, split?, tags?, weight?}.',
    licence: 'Not known; that of the file.',
  },
} as const satisfies Readonly<Record<string, PublicSet>>;
export type PublicSetName = keyof typeof PUBLIC_SETS;
