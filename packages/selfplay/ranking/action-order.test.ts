/** Budgets of actions: never exceeded, in the fixed order where no chance is known, by chance over price where it is. */
import { expect, it } from 'vitest';
import { randomStream } from '../random.ts';
import { ActionBudget, type ActionOrder, type Chosen, type OpenAction } from './action-order.ts';

const always = () => true;
const priced = (...prices: readonly number[]): OpenAction[] => prices.map((price) => ({ price }));
/** Chances that do not depend on what was chosen. */
const byChance = (chances: readonly (readonly number[])[]): ActionOrder => ({
  chance: (statement, action) => chances[statement]![action]!,
  chosen: () => undefined,
});

function all(budget: ActionBudget, isOpen: (statement: number) => boolean = always): Chosen[] {
  const chosen: Chosen[] = [];
  for (let next = budget.next(isOpen); next.length > 0; next = budget.next(isOpen)) chosen.push(...next);
  return chosen;
}

it('never exceeds its budget, tries no pair twice, and spends what it can', () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = randomStream('budget', seed);
    const actions = Array.from({ length: 1 + random.below(6) }, () =>
      priced(...Array.from({ length: random.below(12) }, () => 1 + random.below(40))),
    );
    const order = seed % 2 === 0 ? null : byChance(actions.map((own) => own.map(() => random.next())));
    const bound = random.below(600);
    const budget = new ActionBudget(actions, bound, order);
    const chosen = all(budget);
    const spent = chosen.reduce((sum, { statement, action }) => sum + actions[statement]![action]!.price, 0);
    expect(spent).toBeLessThanOrEqual(bound);
    expect(budget.left).toBeCloseTo(bound - spent);
    const taken = new Set(chosen.map(({ statement, action }) => `${statement} ${action}`));
    expect(taken.size).toBe(chosen.length);
    // Whatever is left over is too dear for what is left of the budget.
    for (const [statement, own] of actions.entries())
      for (const [action, { price }] of own.entries())
        if (!taken.has(`${statement} ${action}`)) expect(price).toBeGreaterThan(bound - spent);
  }
});

it('gives every statement the same where no chance is known, in the order of its list', () => {
  const chosen = all(new ActionBudget([priced(5, 5, 5, 5), priced(5, 5, 5, 5)], 20, null));
  expect(chosen.toSorted((a, b) => a.statement - b.statement)).toEqual(
    [0, 1].flatMap((statement) => [0, 1].map((action) => ({ statement, action }))),
  );
});

it('takes the best chance for its price first, whatever the statement', () => {
  const actions = [priced(10, 10), priced(40, 10)];
  const order = byChance([
    [0.1, 0.3],
    [0.9, 0.01],
  ]);
  const first = new ActionBudget(actions, 40, order).next(always);
  expect(first).toEqual([{ statement: 0, action: 1 }]);
  expect(all(new ActionBudget(actions, 60, order))).toEqual([
    { statement: 0, action: 1 },
    { statement: 1, action: 0 },
    { statement: 0, action: 0 },
  ]);
});

it('orders what is left by what was chosen before it', () => {
  const chosen = new Map<number, number>();
  const order: ActionOrder = {
    // The second action of a statement is worth a tenth of the first, whichever that is.
    chance: (statement) => 0.5 * 0.1 ** (chosen.get(statement) ?? 0),
    chosen: (statement) => chosen.set(statement, (chosen.get(statement) ?? 0) + 1),
  };
  const budget = new ActionBudget([priced(10, 10), priced(10, 10)], 20, order);
  expect(all(budget)).toEqual([
    { statement: 0, action: 0 },
    { statement: 1, action: 0 },
  ]);
});

it('spends nothing more on a statement that is proved', () => {
  const proved = new Set<number>();
  const budget = new ActionBudget([priced(5, 5, 5, 5), priced(5, 5, 5, 5)], 40, null);
  const first = budget.next((at) => !proved.has(at));
  expect(first).toHaveLength(2);
  proved.add(0);
  expect(all(budget, (at) => !proved.has(at)).map(({ statement }) => statement)).toEqual([1, 1, 1]);
  expect(budget.left).toBe(15);
});
