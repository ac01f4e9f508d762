/** The loop's interface to a prover. */

/**
 * One turn of a prover at a shard: an activity samples, then the samples are checked. Turns follow one another.
 */
export interface ProverTurn {
  /**
   * The sampling activity, in `activities/provers/`. It takes a `ShardTurn` and returns the shard's samples with its
   * own added, or null if it finds nothing to do. After null, further turns with this activity are skipped.
   */
  readonly activity: string;
  /** `host`: a machine that has the model; `lean`: any node with Lean. */
  readonly queue: 'host' | 'lean';
  /** Folder of the checked samples, below the shard's. Null: the shard's folder itself, for the first turn. */
  readonly folder: string | null;
  /** Text for the operator, shown before the shard's label: `sample`. */
  readonly doing: string;
  /** Keep the model's chats, so that a later turn can continue them. */
  readonly keepsAnswers?: true;
  /** The proofs were found under other limits, so Lean checks them under a fixed bound of heartbeats, not the run's. */
  readonly isUnbounded?: true;
}

/**
 * @typeParam Turn the prover's turns: `KnownTurn` for those in the table, so that workflows know their activities by
 * name
 */
export interface Prover<Config, Turn extends ProverTurn = ProverTurn> {
  turns(config: Config): readonly Turn[];
  /** What a model learns to write from a proof: the whole proof, the tactic at each of its states, or both. */
  readonly writes: readonly ('proofs' | 'tactics')[];
  /** Who decides about the samples. */
  readonly checkedBy: 'lean' | 'judges';
  /** The prover gives one answer for each statement, whatever `sampling` says. */
  readonly answersOnce?: true;
  /** The prover shows Lean's errors to the model, so the prompt format needs words for them. */
  readonly tellsErrors?: true;
  /** The prover uses no model. */
  readonly asksNoModel?: true;
  /** Description for `bin/stp eval --prover`; missing if the option does not accept this prover. */
  readonly evaluated?: string;
  /** Share of rejections for which Lean is asked for the reason, unless the configuration sets it. */
  readonly explainedShare: number;
  /** Returns the settings by which models are compared on held-out statements; missing if they are the same. */
  compared?(config: Config): unknown;
}

/**
 * Lean rejects in half the time without a reason. A tenth of the reasons is enough to see what is wrong with a model.
 */
export const EXPLAINED_SHARE = 0.1;
