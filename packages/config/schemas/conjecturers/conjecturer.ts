/** The loop's interface to a conjecturer, which makes texts from a round's planned seeds or targets. */

/** An activity in `activities/conjecturers/`. Any node with Lean runs it. */
export interface ConjecturerTurn {
  readonly activity: string;
  /** Text for the operator, shown before the number of plan entries or texts. */
  readonly doing: string;
}

interface Taught {
  /**
   * The conjecturer's examples in the first model's SFT set: tuples of library theorems (STP), equations of the
   * library, or none. A run without a conjecturer has the tuples, so that a baseline starts from the same model as the
   * method that it is compared with.
   */
  readonly examples: 'tuples' | 'equations' | null;
}

/**
 * No model writes: the activity `after` makes the texts of the plan's entries. If `after` is null, there are no
 * texts.
 */
interface Unlearned extends Taught {
  readonly isLearned: false;
  readonly before: null;
  readonly after: ConjecturerTurn | null;
}

/**
 * The model writes the texts of the plan's entries, split over all machines of the run. It learns from conjectures
 * too.
 */
interface Learned extends Taught {
  readonly isLearned: true;
  readonly before: null;
  readonly after: null;
}

/**
 * The model writes for a plan that `before` has prepared, and learns too. `after` turns its texts into the round's
 * texts.
 */
interface Guided extends Taught {
  readonly isLearned: true;
  readonly before: ConjecturerTurn;
  readonly after: ConjecturerTurn;
}

export type Conjecturer = Unlearned | Learned | Guided;
