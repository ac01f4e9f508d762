/**
 * The contents of a run's report, as numbers and short lists. Apart from the number of rounds, their size does not
 * depend on the run's size.
 */

import type { RunConfig } from '@stp/config';
import type { Evaluation, Proved, RoundCounts, ShardResult, Summary } from '@stp/config/records';
import type { SecondOpinion } from '../round/certificate-record.ts';
import type { RunState } from '../run/run-state.ts';
import type { RateHistogram } from './distribution.ts';
import type { LibraryFigures } from './library-progress.ts';

/** Number of dataset statements with a certified proof after this many samples were verified. */
export interface ProgressPoint {
  readonly samples: number;
  readonly proved: number;
  /** The round that contains this point. */
  readonly round: number;
}

export interface RoundFigures {
  readonly round: number;
  readonly model: string;
  readonly counts: RoundCounts;
  readonly shards: readonly ShardResult[];
  readonly secondsPerStage: Readonly<Record<string, number>>;
  /** CPU time that Lean spent on the round's distinct samples, summed, ms. */
  readonly checkMs: number;
  readonly rates: { readonly dataset: RateHistogram; readonly conjecture: RateHistogram };
  /** Certified conjectures whose pass rate is in the conjecturer's band, before elegance, transport and relabelling. */
  readonly conjecturesInBand: number;
  /**
   * Theorems that joined the library before the round's statements were tried, and the round's certified proofs that
   * rest on one of them.
   */
  readonly libraryGrown: number;
  readonly proofsWithGrown: number;
  /** Number of different sets of functions that the round's conjectures mention. */
  readonly functionSets: { readonly attempted: number; readonly proved: number };
  /**
   * Length of the longest chain of grown theorems, each resting on the one before, below a proof of the round; 0: no
   * proof rests on one.
   */
  readonly chain: number;
  /** Dataset statements proved for the first time, and those whose every proof rests on a conjecture. */
  readonly firstProved: { readonly statements: number; readonly onConjectures: number };
  /** The second kernel's answers about the round's certified proofs; `none`: it was not asked. */
  readonly secondKernel: Readonly<Record<SecondOpinion, number>>;
}

/**
 * Statements, or conjectures, by what found their proofs in the run: only samples, only scripts, or each in some round.
 */
export interface FoundBy {
  readonly samplesOnly: number;
  readonly scriptsOnly: number;
  readonly both: number;
}

/** A proved conjecture that later proofs rest on, according to their compiled objects. */
export interface ListedLemma {
  readonly name: string;
  /** Round that proved it. */
  readonly round: number;
  readonly origin: 'dataset' | 'conjecture';
  readonly statement: string;
  /** Number of certified proofs that rest on it, and of dataset statements among those proved. */
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
  /** Lemmas that certified proofs rest on: their number, and those used for most dataset statements. */
  readonly lemmas: {
    /** Number of the run's theorems that certified proofs rest on. */
    readonly conjecturesUsed: number;
    readonly statementsUsed: number;
    readonly listed: readonly ListedLemma[];
  };
}
