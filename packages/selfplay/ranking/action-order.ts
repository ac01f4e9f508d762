/**
 * Spends a budget of Lean's time on pairs of a statement and an action, best first. An action's price is fixed, so the
 * pairs tried depend on scores and verdicts, not on the machine's speed.
 */

/** An action that may be tried on a statement. */
export interface PricedAction {
  /** Expected Lean time, ms; above 0. */
  readonly price: number;
  /** Pairs with higher score come first, for any statement. */
  readonly score: number;
}

/** A pair, as the indices of the statement and of its action. */
interface Chosen {
  readonly statement: number;
  readonly action: number;
}

/**
 * Shares of the budget, spent one after the other: a statement proved in one share needs nothing of the next. Few,
 * since each share starts Lean anew for every header.
 */
const SHARES = [1 / 4, 1 / 4, 1 / 2] as const;
/** Share of the budget that must be left after the last share. Less is not worth another start of Lean. */
const REFUND_MIN = 1 / 8;

export class ActionBudget {
  /** Pairs not yet tried, best first. */
  #waiting: readonly (Chosen & PricedAction)[];
  readonly #budget: number;
  readonly #prices: readonly (readonly number[])[];
  #left: number;
  readonly #shares: number[] = [...SHARES];

  /**
   * @param actions by statement, in the order of the list
   * @param budgetMs budget for all statements together
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

  /** Remaining budget, ms of price; at least 0. */
  get left(): number {
    return this.#left;
  }

  /** Returns the price of a pair that `next` gave and that was not tried. The pair is not given again. */
  giveBack({ statement, action }: Chosen): void {
    this.#left += this.#prices[statement]![action]!;
  }

  /**
   * Returns the next pairs to try; none once the actions are used up, or the budget but for a small refund.
   *
   * @param isOpen is the statement still unproved?
   */
  next(isOpen: (statement: number) => boolean): Chosen[] {
    if (this.#shares.length === 0 && this.#left < REFUND_MIN * this.#budget) return [];
    // After the last share, refunded prices are spent.
    const share = this.#shares.shift() ?? 1;
    // The last share takes all that is left. Each other share ends with the action that fills it; no cheaper
    // action of lower score replaces that one.
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
