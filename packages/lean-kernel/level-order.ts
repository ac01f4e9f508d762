/**
 * Decides the order of universe levels: `u ≤ v` must hold for all values of the parameters.
 *
 * Every level is a maximum of terms `if all of G are positive then x + k else 0`, where G is a set of parameters and x
 * is one of them or absent: `imax u v` distributes over the terms of `v`, and if `v` is a parameter, it is added to the
 * sets of `u`'s terms. We may assume that x is in G (its value at x = 0 is a separate term). Then a term that is below
 * a maximum of terms is below one of them: set the parameters of G to 1, x to a large number and all others to 0. So
 * comparing terms one by one is complete, and the terms that no other term covers are a canonical form. Lean's own test
 * is weaker in some cases; see `docs/divergences.md`.
 */

import type { Budget } from './budget.ts';
import {
  EMPTY_LEVELS,
  LEVEL_IMPREDICATIVE_MAXIMUM,
  LEVEL_MAXIMUM,
  LEVEL_PARAMETER,
  LEVEL_SUCCESSOR,
  LEVEL_ZERO,
  type Level,
  type LevelList,
  type LevelTable,
} from './level.ts';
import type { Name } from './name.ts';
import { Decline } from './verdict.ts';

interface Term {
  /** Sorted. The term is 0 if one of them is 0. */
  readonly guards: readonly Name[];
  /** One of the guards, or -1 if the term is a number. */
  readonly variable: Name | -1;
  readonly offset: number;
}

/** Maximum terms of one level: nested `imax` can make exponentially many. */
const TERMS_MAX = 500;
/** Number of name comparisons that cost one step, as a power of two. */
const COMPARED_BITS = 4;

export class LevelOrder {
  readonly #levels: LevelTable;
  readonly #budget: Budget;
  readonly #terms = new Map<Level, readonly Term[]>();

  constructor(levels: LevelTable, budget: Budget) {
    this.#levels = levels;
    this.#budget = budget;
  }

  isAtMost(left: Level, right: Level): boolean {
    if (left === right || left === this.#levels.zero) return true;
    const above = this.#normal(right);
    return this.#normal(left).every((term) => above.some((other) => this.#covers(other, term)));
  }

  isEqual(left: Level, right: Level): boolean {
    return left === right || (this.isAtMost(left, right) && this.isAtMost(right, left));
  }

  areEqual(left: LevelList, right: LevelList): boolean {
    const levels = this.#levels;
    let [a, b] = [left, right];
    while (a !== b) {
      if (a === EMPTY_LEVELS || b === EMPTY_LEVELS || !this.isEqual(levels.head(a), levels.head(b))) return false;
      a = levels.tail(a);
      b = levels.tail(b);
    }
    return true;
  }

  /** Whether the level is zero for all values of the parameters, so that its sort is `Prop`. */
  isAlwaysZero(level: Level): boolean {
    return level === this.#levels.zero || this.#normal(level).length === 0;
  }

  /** Whether the level is positive for all values of the parameters. */
  isNeverZero(level: Level): boolean {
    return this.isAtMost(this.#levels.one, level);
  }

  #normal(level: Level): readonly Term[] {
    let terms = this.#terms.get(level);
    if (terms === undefined) {
      terms = this.#compute(level);
      this.#terms.set(level, terms);
    }
    return terms;
  }

  #compute(level: Level): readonly Term[] {
    const levels = this.#levels;
    switch (levels.kind(level)) {
      case LEVEL_ZERO:
        return [];
      case LEVEL_PARAMETER: {
        const name = levels.name(level);
        return [{ guards: [name], variable: name, offset: 0 }];
      }
      case LEVEL_SUCCESSOR:
        // The successor of a guarded term is 1 where the guard fails.
        return this.#reduced([
          { guards: [], variable: -1, offset: 1 },
          ...this.#normal(levels.left(level)).map((term) => ({ ...term, offset: term.offset + 1 })),
        ]);
      case LEVEL_MAXIMUM:
        return this.#reduced([...this.#normal(levels.left(level)), ...this.#normal(levels.right(level))]);
      case LEVEL_IMPREDICATIVE_MAXIMUM: {
        const left = this.#normal(levels.left(level));
        // A term of the right side is positive exactly where its guards are positive; there the left side counts too.
        const right = this.#normal(levels.right(level));
        return this.#reduced(
          right.flatMap((term) => [
            term,
            ...left.map((other) => ({ ...other, guards: union(other.guards, term.guards) })),
          ]),
        );
      }
      default:
        throw new Error('no such level');
    }
  }

  /** Returns the terms that no other term covers. */
  #reduced(terms: readonly Term[]): readonly Term[] {
    const kept: Term[] = [];
    for (const term of terms) {
      if (kept.some((other) => this.#covers(other, term))) continue;
      let count = 0;
      for (const other of kept) if (!this.#covers(term, other)) kept[count++] = other;
      kept.length = count;
      kept.push(term);
      if (kept.length > TERMS_MAX) throw new Decline(`a universe level with more than ${TERMS_MAX} terms`);
    }
    return kept;
  }

  /** Whether the first term is at least the second for all values. */
  #covers(above: Term, below: Term): boolean {
    this.#budget.steps(1 + ((above.guards.length * below.guards.length) >> COMPARED_BITS));
    if (!above.guards.every((name) => below.guards.includes(name))) return false;
    if (below.variable !== -1) return above.variable === below.variable && above.offset >= below.offset;
    // A variable is at least 1 where the guards are positive.
    return above.offset + (above.variable === -1 ? 0 : 1) >= below.offset;
  }
}

function union(left: readonly Name[], right: readonly Name[]): readonly Name[] {
  if (right.every((name) => left.includes(name))) return left;
  return [...new Set([...left, ...right])].sort((a, b) => a - b);
}
