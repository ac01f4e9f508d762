/** The loop's view of a conjecturer: how the plan of a round's seeds or targets becomes texts. */

/** An activity on any node with Lean, below `activities/conjecturers/`. */
export interface ConjecturerTurn {
  readonly activity: string;
  /** What people read before the number of places or texts. */
  readonly doing: string;
}

interface Taught {
  /**
   * What the first model's SFT set has for it: tuples of library theorems (STP), equations of the library, or nothing. A run without a
   * conjecturer has the tuples, so that baselines start from the model of the method that they are compared with.
   */
  readonly examples: 'tuples' | 'equations' | null;
}

/** No model writes: `after` makes the texts of the plan's places. Without it there are none. */
interface Unlearned extends Taught {
  readonly isLearned: false;
  readonly before: null;
  readonly after: ConjecturerTurn | null;
}

/** The model writes the round's texts for the plan's places, all machines of the run each a share. It learns from conjectures too. */
interface Learned extends Taught {
  readonly isLearned: true;
  readonly before: null;
  readonly after: null;
}

/** The model writes for a plan that `before` has made ready, and learns too. `after` turns its texts into the round's. */
interface Guided extends Taught {
  readonly isLearned: true;
  readonly before: ConjecturerTurn;
  readonly after: ConjecturerTurn;
}

export type Conjecturer = Unlearned | Learned | Guided;
