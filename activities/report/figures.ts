/**
 * The contents of a run's report, as numbers and short lists. Apart from the number of rounds, its size does not depend
 * on the run's size.
 */

import type { RunConfig } from '@stp/config';
import type { Evaluation, Proved, RoundCounts, ShardResult, Summary } from '@stp/config/records';
import type { SecondOpinion } from '../round/certificate-record.ts';
import type { RunState } from '../run/run-state.ts';
import type { RateHistogram } from './distribution.ts';
import type { LibraryFigures } from './library-progress.ts';

/** Dataset statements with a certified proof once so many samples were verified. */
export interface ProgressPoint {
  readonly samples: number;
  readonly proved: number;
  /** The round this point lies in. */
  readonly round: number;
}

export interface RoundFigures {
  readonly round: number;
  readonly model: string;
  readonly counts: RoundCounts;
  readonly shards: readonly ShardResult[];
  readonly secondsPerStage: Readonly<Record<string, number>>;
  /** Wall time Lean spent on the round's distinct samples, summed, ms. */
  readonly checkMs: number;
  readonly rates: { readonly dataset: RateHistogram; readonly conjecture: RateHistogram };
  /** Certified conjectures whose pass rate is in the conjecturer's band, before elegance, transport and relabelling. */
  readonly conjecturesInBand: number;
  /** Theorems by which the library had grown before the round's statements were tried, and the round's certified proofs that rest on one. */
  readonly libraryGrown: number;
  readonly proofsWithGrown: number;
  /** Different sets of functions that the round's conjectures speak of. */
  readonly functionSets: { readonly attempted: number; readonly proved: number };
  /** Most grown theorems that rest on each other in one chain under a proof of the round; 0: no proof rests on one. */
  readonly chain: number;
  /** Statements of the dataset proved for the first time, and those of them whose every proof rests on a conjecture. */
  readonly firstProved: { readonly statements: number; readonly onConjectures: number };
  /** Answers of the second kernel about the round's certified proofs; `none`: it was not asked. */
  readonly secondKernel: Readonly<Record<SecondOpinion, number>>;
}

/** Statements, or conjectures, by who found proofs of them in the run: the model's samples, scripts, or each in some round. */
export interface FoundBy {
  readonly samplesOnly: number;
  readonly scriptsOnly: number;
  readonly both: number;
}

/** A proved conjecture that later proofs rest on, as their compiled objects say. */
export interface ListedLemma {
  readonly name: string;
  /** Round that proved it. */
  readonly round: number;
  readonly origin: 'dataset' | 'conjecture';
  readonly statement: string;
  /** Certified proofs that rest on it, and statements of the dataset among what they prove. */
  readonly proofs: number;
  readonly statements: number;
  /** Name of one of these statements. */
  readonly example: string | null;
}

/** One optimizer step of one training. */
export interface LossPoint {
  readonly stage: string;
  readonly step: number;
  readonly loss: number;
}

export interface RunFigures {
  readonly run: string;
  readonly config: RunConfig;
  /** Values that differ from the preset, by dotted key. */
  readonly changed: Readonly<Record<string, unknown>>;
  readonly summary: Summary;
  readonly evaluation: Evaluation | null;
  readonly finished: boolean;
  readonly sftModel: string;
  readonly progress: readonly ProgressPoint[];
  readonly rounds: readonly RoundFigures[];
  readonly skipped: readonly number[];
  readonly failures: RunState['failures'];
  readonly losses: readonly LossPoint[];
  readonly library: LibraryFigures;
  readonly newlyProved: { readonly count: number; readonly listed: readonly Proved[] };
  readonly foundBy: { readonly [Origin in Proved['origin']]: FoundBy };
  /** Proved conjectures, lowest pass rates first. */
  readonly hardest: readonly Proved[];
  /** How many lemmas some certified proof rests on, and those that most statements of the dataset rest on. */
  readonly lemmas: {
    /** Theorems of the run that certified proofs rest on. */
    readonly conjecturesUsed: number;
    readonly statementsUsed: number;
    readonly listed: readonly ListedLemma[];
  };
}
