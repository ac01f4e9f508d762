/** The loop's view of a prover. */

/** One turn at a shard: an activity samples, and what it samples is checked. The turns follow one another. */
export interface ProverTurn {
  /**
   * Activity that samples, below `activities/provers/`. It takes a `ShardTurn` and gives the shard's samples with its own, or null
   * where it finds nothing to do; then further turns of the same activity are left out.
   */
  readonly activity: string;
  /** `host`: a machine that has the model; `lean`: any node with Lean. */
  readonly queue: 'host' | 'lean';
  /** Folder of what is checked, below the shard's. Null: the shard's own, of the first turn. */
  readonly folder: string | null;
  /** What people read before the shard's label: `sample`. */
  readonly doing: string;
  /** The model's chats are kept, so that a later turn can go on with them. */
  readonly keepsAnswers?: true;
  /** Its proofs were found under limits of their own: Lean checks them under its own bound of heartbeats, not the run's. */
  readonly isUnbounded?: true;
}

/** @typeParam Turn the turns that it may have: `KnownTurn` of those in the table, so that workflows know their activities by name */
export interface Prover<Config, Turn extends ProverTurn = ProverTurn> {
  turns(config: Config): readonly Turn[];
  /** What a model learns to write from a proof: the whole proof, the tactic at each of its states, or each of these. */
  readonly writes: readonly ('proofs' | 'tactics')[];
  /** Who says what becomes of the samples. */
  readonly checkedBy: 'lean' | 'judges';
  /** It gives one answer a statement, whatever `sampling` says. */
  readonly answersOnce?: true;
  /** It tells the model Lean's errors, so a prompt format needs words for them. */
  readonly tellsErrors?: true;
  /** No model takes part. */
  readonly asksNoModel?: true;
  /** What `bin/stp eval --prover` says it does; missing where an evaluation does not take it by that option. */
  readonly evaluated?: string;
  /** Share of rejections for which Lean is asked for the reason, where the configuration names none. */
  readonly explainedShare: number;
  /** The prover by which models are compared on held-out statements, where it is another. */
  compared?(config: Config): unknown;
}

/** Lean finds rejections without their reason in half the time; a tenth of the reasons tells what is wrong with a model. */
export const EXPLAINED_SHARE = 0.1;
