/** Budgets of actions: never exceeded, the best pairs first. */
import { expect, it } from 'vitest';
import { randomStream } from '../random.ts';
import { ActionBudget, type PricedAction } from './action-order.ts';

type Chosen = ReturnType<ActionBudget['next']>[number];
const always = () => true;
/** Makes actions with these prices. Their scores follow the order of the list and are the same for every statement. */
function priced(...prices: readonly number[]): PricedAction[] {
  let before = 0;
  return prices.map((price) => {
    before += price;
    return { price, score: -before };
  });
}

function all(budget: ActionBudget, isOpen: (statement: number) => boolean = always): Chosen[] {
  const chosen: Chosen[] = [];
  for (let next = budget.next(isOpen); next.length > 0; next = budget.next(isOpen)) chosen.push(...next);
  return chosen;
}

it('never exceeds its budget, tries no pair twice, and spends what it can', () => {
  for (let seed = 0; seed < 200; seed++) {
    const random = randomStream('budget', seed);
    const actions = Array.from({ length: 1 + random.below(6) }, () =>
      Array.from({ length: random.below(12) }, () => ({ price: 1 + random.below(40), score: random.next() })),
    );
    const bound = random.below(600);
    const budget = new ActionBudget(actions, bound);
    const chosen = all(budget);
    const spent = chosen.reduce((sum, { statement, action }) => sum + actions[statement]![action]!.price, 0);
    expect(spent).toBeLessThanOrEqual(bound);
    expect(budget.left).toBeCloseTo(bound - spent);
    const taken = new Set(chosen.map(({ statement, action }) => `${statement} ${action}`));
    expect(taken.size).toBe(chosen.length);
    // Every remaining action costs more than the rest of the budget.
    for (const [statement, own] of actions.entries())
      for (const [action, { price }] of own.entries())
        if (!taken.has(`${statement} ${action}`)) expect(price).toBeGreaterThan(bound - spent);
  }
});

it('gives every statement the same by scores of what stands before, in the order of its list', () => {
  const chosen = all(new ActionBudget([priced(5, 5, 5, 5), priced(5, 5, 5, 5)], 20));
  expect(chosen.toSorted((a, b) => a.statement - b.statement)).toEqual(
    [0, 1].flatMap((statement) => [0, 1].map((action) => ({ statement, action }))),
  );
});

it('takes the best score first, whatever the statement', () => {
  const actions = [
    [
      { price: 10, score: 1 },
      { price: 10, score: 3 },
    ],
    [
      { price: 40, score: 2 },
      { price: 10, score: 0 },
    ],
  ];
  expect(new ActionBudget(actions, 40).next(always)).toEqual([{ statement: 0, action: 1 }]);
  expect(all(new ActionBudget(actions, 60))).toEqual([
    { statement: 0, action: 1 },
    { statement: 1, action: 0 },
    { statement: 0, action: 0 },
  ]);
});

it('spends nothing more on a statement that is proved', () => {
  const proved = new Set<number>();
  const budget = new ActionBudget([priced(5, 5, 5, 5), priced(5, 5, 5, 5)], 40);
  const first = budget.next((at) => !proved.has(at));
  expect(first).toHaveLength(2);
  proved.add(0);
  expect(all(budget, (at) => !proved.has(at)).map(({ statement }) => statement)).toEqual([1, 1, 1]);
  expect(budget.left).toBe(15);
});

it('leaves a small refund unspent', () => {
  const after = (given: number): Chosen[] => {
    const budget = new ActionBudget([priced(...Array.from({ length: 60 }, () => 1))], 32);
    const spent = [budget.next(always), budget.next(always), budget.next(always)].flat();
    expect([spent.length, budget.left]).toEqual([32, 0]);
    for (const one of spent.slice(0, given)) budget.giveBack(one);
    return budget.next(always);
  };
  expect(after(3)).toEqual([]);
  expect(after(4)).toHaveLength(4);
});

it('spends what was given back on other actions, and never gives the same action again', () => {
  const budget = new ActionBudget([priced(5, 5, 5, 5), priced(5, 5, 5, 5)], 20);
  const first = budget.next(always);
  for (const one of first) budget.giveBack(one);
  expect(budget.left).toBe(20);
  const rest = all(budget);
  const key = ({ statement, action }: Chosen): string => `${statement} ${action}`;
  expect(rest.map(key).filter((one) => first.map(key).includes(one))).toEqual([]);
  expect([rest.length, budget.left]).toEqual([4, 0]);
});
