/**
 * Spends a budget of Lean's time on pairs of a statement and an action, the best first. The price of an action is fixed, so what is
 * tried depends on orders and verdicts, not on how fast a machine is.
 */

/** An action that may be tried on a statement. */
export interface PricedAction {
  /** Expected time of Lean, ms; above 0. */
  readonly price: number;
  /** Pairs of higher score come first, whatever their statement. */
  readonly score: number;
}

/** A pair, by the places of the statement and of the action among its own. */
interface Chosen {
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
  #waiting: readonly (Chosen & PricedAction)[];
  readonly #budget: number;
  readonly #prices: readonly (readonly number[])[];
  #left: number;
  readonly #shares: number[] = [...SHARES];

  /**
   * @param actions by statement, in the order of the list
   * @param budgetMs for all statements together
   */
  constructor(actions: readonly (readonly PricedAction[])[], budgetMs: number) {
    const all = actions.flatMap((own, statement) =>
      own.map(({ price, score }, action) => ({ statement, action, price, score })),
    );
    // Sorting is stable: equal scores keep the order of statements and of the list.
    this.#waiting = all.sort((one, other) => other.score - one.score);
    this.#prices = actions.map((own) => own.map(({ price }) => price));
    this.#budget = budgetMs;
    this.#left = budgetMs;
  }

  /** What is left, ms of price; never below 0. */
  get left(): number {
    return this.#left;
  }

  /** The price of an action that `next` gave and that was not tried. It is not given again. */
  giveBack({ statement, action }: Chosen): void {
    this.#left += this.#prices[statement]![action]!;
  }

  /** The next actions to try; none once the budget or the actions are spent. @param isOpen is the statement still unproved? */
  next(isOpen: (statement: number) => boolean): Chosen[] {
    // Behind the last share is what was given back.
    const share = this.#shares.shift() ?? 1;
    // The last share is all that is left. The others end with the action that fills them: a cheaper one of less worth would not do.
    const enough = this.#shares.length === 0 ? Number.POSITIVE_INFINITY : share * this.#budget;
    const chosen: Chosen[] = [];
    const later: (Chosen & PricedAction)[] = [];
    let spent = 0;
    for (const one of this.#waiting) {
      if (!isOpen(one.statement)) continue;
      if (spent >= enough || one.price > this.#left) later.push(one);
      else {
        spent += one.price;
        this.#left -= one.price;
        chosen.push({ statement: one.statement, action: one.action });
      }
    }
    this.#waiting = later;
    return chosen;
  }
}
