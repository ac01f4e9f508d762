/** The actions for a goal as Lean prints it: what is offered for its variables, hypotheses, premises and symbols. */
import { expect, it } from 'vitest';
import { goalActionPrice, goalActions } from './goal-actions.ts';

const hypothesis = (type: string, ...names: string[]) => ({ names, type });
const goal = {
  hypotheses: [
    hypothesis('Type u_1', 'α'),
    hypothesis('BEq α', 'inst✝'),
    hypothesis('α', 'a', 'b'),
    hypothesis('α → Bool', 'p'),
    hypothesis('List α', 'xs', 'ys✝'),
    hypothesis('Nat', 'n'),
    hypothesis('List.filter p tail = tail', 'tail_ih'),
  ],
  target: '(if a ∈ xs then List.filter p xs else [b]) = List.take n xs',
};
const premises = [
  { written: 'List.filter_nil', signature: '{α : Type u} (p : α → Bool) : List.filter p [] = []' },
  { written: 'List.mem_of_mem', signature: '{α : Type u} {a : α} {l : List α} (h : a ∈ l) : a ∈ l' },
];
const actions = goalActions(goal, premises);
const texts = actions.map(({ tactic }) => tactic);

it('takes apart variables that have names, and only those of inductive types', () => {
  expect(texts).toEqual(
    expect.arrayContaining([
      'unhygienic cases xs <;> (try simp_all)',
      'unhygienic induction xs generalizing n <;> (try rfl)',
      'unhygienic induction n',
      'unhygienic split',
      'by_cases hc : a ∈ xs',
      'by_cases he : a = b',
    ]),
  );
  expect(texts.filter((text) => /(?:cases|induction) (?:ys|a|α|p)\b/u.test(text))).toEqual([]);
});

it('works with hypotheses that are propositions, with premises by what they conclude, and with functions of the target', () => {
  expect(texts).toEqual(
    expect.arrayContaining([
      'simp [tail_ih]',
      'simp_all [List.filter, List.take]',
      'unfold List.take',
      'grind [List.filter_nil]',
    ]),
  );
  expect(texts.some((text) => text.startsWith('rw [List.filter_nil]'))).toBe(true);
  expect(texts.some((text) => text.startsWith('rw [List.mem_of_mem]'))).toBe(false);
  expect(texts.some((text) => text.startsWith('apply List.mem_of_mem'))).toBe(true);
  expect(texts.some((text) => /\[(?:a|p|inst)/u.test(text))).toBe(false);
});

it('offers nothing twice; every action has a kind and a price', () => {
  expect(new Set(texts).size).toBe(texts.length);
  for (const one of actions) {
    expect(one.parts.slice(0, 3).map((part) => part.split(':')[0])).toEqual(['does', 'names', 'on']);
    expect(goalActionPrice(one)).toBeGreaterThan(0);
  }
  // `constructor` is also a property of every object.
  const [constructed] = goalActions({ hypotheses: [], target: 'p ∧ q' }, []).filter(
    ({ tactic }) => tactic === 'constructor',
  );
  expect(goalActionPrice(constructed!)).toBe(2.5);
});
