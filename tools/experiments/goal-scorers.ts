/** Who says which action of a goal comes next: a guess by hand, rates of kinds of actions, or a learned ranker. */
import type { GoalAction } from '@stp/lean-explore';
import { type ActionFeatures, ActionRanker, type Try } from '@stp/selfplay';
import type { TriedStatement } from './goal-world.ts';

export interface Statement extends TriedStatement {
  readonly name: string;
  readonly labels: readonly string[];
}

/** An action of a state, with what a ranker sees of it. */
export interface Shown {
  readonly action: GoalAction;
  readonly price: number;
  readonly kind: string;
  /** Made anew each time: all of them together would not fit in memory. */
  features(): ActionFeatures;
}

export interface Found {
  readonly statement: Statement;
  /** Lean's time at which a proof was found, ms; null: none within the limit. */
  readonly atMs: number | null;
  readonly proof: readonly string[] | null;
  readonly states: number;
  readonly tries: readonly { readonly shown: Shown; readonly proved: boolean }[];
}

export type Scorer = (shown: Shown) => number;

/** Chances of kinds before anything is known: every kind the same. */
const FIRST_CHANCE = 0.02;
const FIRST_WEIGHT = 30;

class Rates {
  readonly #counts = new Map<string, [number, number]>();
  constructor(found: readonly Found[]) {
    for (const { tries } of found)
      for (const { shown, proved } of tries) {
        const [all, good] = this.#counts.get(shown.kind) ?? [0, 0];
        this.#counts.set(shown.kind, [all + 1, good + (proved ? 1 : 0)]);
      }
  }
  chance(kind: string): number {
    const [all, good] = this.#counts.get(kind) ?? [0, 0];
    return (good + FIRST_WEIGHT * FIRST_CHANCE * 0.25) / (all + FIRST_WEIGHT);
  }
}

/** By hand, for the first searches. */
export function firstChance({ action }: Shown): number {
  const [does = '', names = ''] = action.parts.map((part) => part.slice(part.indexOf(':') + 1));
  if (names === 'premise' || names === 'hypothesis') return 0.01;
  if (['cases', 'two cases', 'induction', 'induction generalizing'].includes(does))
    return names === 'nothing' ? 0.02 : 0.1;
  return ['rfl', 'simp', 'simp_all', 'grind', 'omega', 'assumption'].includes(does) ? 0.1 : 0.03;
}

/** `fixed`: by rates of kinds. `learned`: by a ranker that corrects them. */
export function scorerOf(row: 'fixed' | 'learned', found: readonly Found[], seed: number): Scorer {
  const rates = new Rates(found);
  if (row === 'fixed') return ({ kind }) => rates.chance(kind);
  const prior = (kind: string): number => {
    const chance = rates.chance(kind);
    return Math.log(chance / (1 - chance));
  };
  const tries: Try[] = found.flatMap((one) =>
    one.tries.map(({ shown, proved }) => ({ prior: prior(shown.kind), features: shown.features(), proved })),
  );
  const ranker = ActionRanker.trained(tries, seed);
  return ({ kind, features }) => ranker.chance(prior(kind), features());
}
