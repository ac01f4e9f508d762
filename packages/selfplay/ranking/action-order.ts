/**
 * Spends a budget of Lean's time on pairs of a statement and an action, the best first. The price of an action is fixed, so what is
 * tried depends on orders and verdicts, not on how fast a machine is.
 */

/** An action that may be tried on a statement. */
export interface OpenAction {
  /** Expected time of Lean, ms; above 0. */
  readonly price: number;
}

/** Pairs are places: of the statement, and of the action among its own. */
export interface ActionOrder {
  /** Chance that the action proves the statement, once those that were `chosen` have failed on it. */
  chance(statement: number, action: number): number;
  /** Called for each pair that is to be tried. */
  chosen(statement: number, action: number): void;
}

export interface Chosen {
  readonly statement: number;
  readonly action: number;
}

/**
 * Shares of the budget, one after the other: what is proved in one needs none of the next. Few, since each starts Lean anew for
 * every header.
 */
const SHARES = [1 / 4, 1 / 4, 1 / 2] as const;

interface Best {
  readonly action: number;
  readonly score: number;
}

export class ActionBudget {
  readonly #prices: readonly (readonly number[])[];
  readonly #order: ActionOrder | null;
  /** By statement: places of its actions that are not chosen yet, in the list's order. */
  readonly #waiting: number[][];
  /** By statement: prices of what was chosen, summed. */
  readonly #spent: number[];
  readonly #budget: number;
  #left: number;
  #shares: number[] = [...SHARES];

  /**
   * @param actions by statement, in the order of the list
   * @param budgetMs for all statements together
   * @param order all pairs by chance over price, whatever their statement; null: each statement gets the same, in the list's order
   */
  constructor(actions: readonly (readonly OpenAction[])[], budgetMs: number, order: ActionOrder | null) {
    this.#prices = actions.map((own) => own.map(({ price }) => price));
    this.#order = order;
    this.#waiting = actions.map((own) => [...own.keys()]);
    this.#spent = actions.map(() => 0);
    this.#budget = budgetMs;
    this.#left = budgetMs;
  }

  /** What is left, ms of price; never below 0. */
  get left(): number {
    return this.#left;
  }

  /** The next actions to try; none once the budget or the actions are spent. @param isOpen is the statement still unproved? */
  next(isOpen: (statement: number) => boolean): Chosen[] {
    const share = this.#shares.shift();
    if (share === undefined) return [];
    // The last share is all that is left. The others end with the action that fills them: a cheaper one of less worth would not do.
    const enough = this.#shares.length === 0 ? Number.POSITIVE_INFINITY : share * this.#budget;
    const chosen: Chosen[] = [];
    const best = this.#waiting.map((_, statement) => (isOpen(statement) ? this.#bestOf(statement) : null));
    for (let spent = 0; spent < enough; ) {
      let first: number | null = null;
      for (const [statement, its] of best.entries()) {
        if (its === null) continue;
        // Another statement has spent what this one needs.
        if (this.#prices[statement]![its.action]! > this.#left) best[statement] = this.#bestOf(statement);
        const now = best[statement] ?? null;
        if (now !== null && (first === null || now.score > best[first]!.score)) first = statement;
      }
      if (first === null) break;
      const { action } = best[first]!;
      const price = this.#prices[first]![action]!;
      chosen.push({ statement: first, action });
      this.#waiting[first] = this.#waiting[first]!.filter((other) => other !== action);
      this.#spent[first]! += price;
      this.#left -= price;
      spent += price;
      this.#order?.chosen(first, action);
      best[first] = this.#bestOf(first);
    }
    return chosen;
  }

  /** The statement's best action that costs no more than what is left; null: there is none. */
  #bestOf(statement: number): Best | null {
    let best: Best | null = null;
    for (const action of this.#waiting[statement]!) {
      const price = this.#prices[statement]![action]!;
      if (price > this.#left) continue;
      // Without chances the first of the list, for the statement that has had least.
      if (this.#order === null) return { action, score: -(this.#spent[statement]! + price) };
      const score = this.#order.chance(statement, action) / price;
      if (best === null || score > best.score) best = { action, score };
    }
    return best;
  }
}
