/**
 * Spends a budget of Lean's time on pairs of a statement and an action, the best first. The price of an action is fixed, so what is
 * tried depends on orders and verdicts, not on how fast a machine is.
 */

/** An action that may be tried on a statement. */
export interface OpenAction {
  /** Expected time of Lean, ms; above 0. */
  readonly price: number;
  /** Chance that it proves the statement; null: nobody knows, and the actions stand in the order of their list. */
  readonly chance: number | null;
}

export interface Chosen {
  /** Places of the statement, and of the action among its own. */
  readonly statement: number;
  readonly action: number;
}

/**
 * Shares of the budget, one after the other: what is proved in one needs none of the next. Few, since each starts Lean anew for
 * every header.
 */
const SHARES = [1 / 4, 1 / 4, 1 / 2] as const;

export class ActionBudget {
  /** Not yet tried, the best first. */
  #waiting: readonly (Chosen & OpenAction)[];
  readonly #budget: number;
  #left: number;
  #shares: number[] = [...SHARES];

  /**
   * @param actions by statement, in the order of the list. With chances, all pairs are ordered by chance over price, whatever their
   *   statement; without them each statement gets the same.
   * @param budgetMs for all statements together
   */
  constructor(actions: readonly (readonly OpenAction[])[], budgetMs: number) {
    this.#budget = budgetMs;
    this.#left = budgetMs;
    const scored = actions.flatMap((own, statement) => {
      let before = 0;
      return own.map((one, action) => {
        before += one.price;
        return { ...one, statement, action, score: one.chance === null ? -before : one.chance / one.price };
      });
    });
    // Equal scores keep the order of the statements and of the list: sorting is stable.
    this.#waiting = scored.sort((one, other) => other.score - one.score);
  }

  /** What is left, ms of price; never below 0. */
  get left(): number {
    return this.#left;
  }

  /** The next actions to try; none once the budget or the actions are spent. @param isOpen is the statement still unproved? */
  next(isOpen: (statement: number) => boolean): Chosen[] {
    let chosen: Chosen[] = [];
    // A share may be too small for any action.
    while (chosen.length === 0 && this.#shares.length > 0) chosen = this.#take(isOpen, this.#shares.shift()!);
    return chosen;
  }

  #take(isOpen: (statement: number) => boolean, share: number): Chosen[] {
    // The last share is all that is left: what an earlier one could not spend is in it.
    const bound = this.#shares.length === 0 ? this.#left : share * this.#budget;
    let spent = 0;
    const chosen: Chosen[] = [];
    const later: (Chosen & OpenAction)[] = [];
    for (const one of this.#waiting) {
      if (!isOpen(one.statement)) continue;
      if (spent + one.price > bound) later.push(one);
      else {
        spent += one.price;
        chosen.push({ statement: one.statement, action: one.action });
      }
    }
    this.#waiting = later;
    this.#left -= spent;
    return chosen;
  }
}
