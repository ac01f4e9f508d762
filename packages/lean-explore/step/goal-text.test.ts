/** Goals from the text in which Lean prints them. */
import { expect, it } from 'vitest';
import { readGoalTexts } from './goal-text.ts';

it('reads names, types, values and the target of each goal', () => {
  const state =
    'case inl.inl\nα : Type u\ninst✝ : Category.{v, u} α\nxs ys : List α\nk : ℕ := 3 + 1\n' +
    'f : α → α := fun x =>\n  x\nh : { toFun := id }.toFun xs =\n    ys\n⊢ xs =\n    ys\n\ncase inr\n⊢ True';
  expect(readGoalTexts(state)).toEqual([
    {
      hypotheses: [
        { names: ['α'], type: 'Type u' },
        { names: ['inst✝'], type: 'Category.{v, u} α' },
        { names: ['xs', 'ys'], type: 'List α' },
        { names: ['k'], type: 'ℕ', value: '3 + 1' },
        { names: ['f'], type: 'α → α', value: 'fun x =>\n  x' },
        { names: ['h'], type: '{ toFun := id }.toFun xs =\n    ys' },
      ],
      target: 'xs =\n    ys',
    },
    { hypotheses: [], target: 'True' },
  ]);
  expect(readGoalTexts('2 goals\nn : Nat\n⊢ n = n\n\n⊢ True')).toHaveLength(2);
});

it.each(['no goals', '', 'n : Nat', '⊢ a\nn : Nat', 'n\n⊢ n = n'])('takes %j for no state', (state) => {
  expect(readGoalTexts(state)).toBeNull();
});
