/** What the loop knows of a conjecturer: how the texts of a round come to be from the plan of its seeds or targets. */

/** An activity on any node with Lean, below `activities/conjecturers/`. */
export interface ConjecturerTurn {
  readonly activity: string;
  /** What people read before the number of places or texts. */
  readonly doing: string;
}

export interface Conjecturer {
  /** Makes the plan ready for the model; null: it is as it is, or no model writes. */
  readonly before: ConjecturerTurn | null;
  /** Does the model write texts for the plan's places, all machines of the run each a share? Then it learns from conjectures too. */
  readonly isLearned: boolean;
  /**
   * What the first model's SFT set has for it: tuples of library theorems (STP), equations of the library, or nothing. A run without a
   * conjecturer has the tuples, so that baselines start from the model of the method that they are compared with.
   */
  readonly examples: 'tuples' | 'equations' | null;
  /** Makes the texts, or tests those of the model; null: the model's are the round's. */
  readonly after: ConjecturerTurn | null;
}
