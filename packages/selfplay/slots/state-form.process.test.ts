/** Proof states as prompts: what is shown, and tactics to slots and back. */

import type { ShownDefinition, ShownGoal } from '@stp/config/records';
import { markersOf } from '@stp/language-model/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slottedForm } from './prover-form.ts';
import { plainStateForm, slottedStateForm } from './state-form.ts';

const APP: ShownDefinition = {
  name: 'Stp.app',
  written: 'app',
  kind: 'function',
  distance: 0,
  signature: '{α : Type} : List α → List α → List α',
  equations: ['[], ys => ys', 'x :: xs, ys => x :: app xs ys'],
  constructors: [],
};
const GOAL: ShownGoal = {
  hypotheses: [
    { names: ['α'], type: 'Type' },
    { names: ['ys'], type: 'List α' },
    { names: ['head✝'], type: 'α' },
    { names: ['tail✝', 'tail✝¹'], type: 'List α' },
    { names: ['k'], type: 'Nat', value: '1 +\n  1' },
    { names: ['ih'], type: 'app tail✝ ys = tail✝¹' },
  ],
  target: 'app (head✝ :: tail✝) ys =\n  head✝ :: tail✝¹',
};

describe('a state in a prompt', () => {
  it('is its first goal in slots, behind a marker of its own', () => {
    expect(slottedStateForm(GOAL, [APP], 100).prompt).toBe(
      '<defs><all>\n<f0>:List a→List a→List a|[],b=>b|b::c,d=>b::<f0> c d' +
        '<state>(<t0> : Type) (<s0> : List<t0>) (✝0 :<t0>) (✝1 ✝2 : List<t0>) (<n0> : Nat := 1 + 1) (<h0> :<f0> ✝1<s0> = ✝2) ' +
        ':<f0> (✝0 :: ✝1)<s0> = ✝0 :: ✝2<by>',
    );
    expect(plainStateForm(GOAL).prompt).toMatch(/^<state>\(α : Type\) \(ys : List α\) \(✝0 : α\).*✝2<by>$/u);
  });

  it('shows definitions with the slots that the whole-proof prompt of its statement gives them', () => {
    const definitionsOf = (prompt: string): string => prompt.slice(0, prompt.search(/<prove>|<state>/u));
    const whole = slottedForm('theorem t {α : Type} (xs ys : List α) : app xs ys = ys', [APP], 100);
    expect(definitionsOf(slottedStateForm(GOAL, [APP], 100).prompt)).toBe(definitionsOf(whole.prompt));
  });

  it('gives hypotheses slots, in tactics of several lines too', () => {
    const { targetOf, read } = slottedStateForm(GOAL, [APP], 100);
    const tactic = 'cases ys with\n| nil => simp [app, ih]\n| cons y ys => simp_all [app]';
    expect(targetOf(tactic)).toBe('cases<s0> with\n| nil => simp [<all>,<h0>]\n| cons y<s0> => simp_all [<all>]');
    expect(read(targetOf(tactic)!, 'stop')).toMatchObject({ kind: 'proof', proof: tactic });
    expect(targetOf('exact <state>')).toBeNull();
  });

  it('takes no text for a slot or a marker that it was not', () => {
    const goal = { ...GOAL, target: '"<s0>" = "<state>"' };
    expect(slottedStateForm(goal, [APP], 100).prompt).toBe(plainStateForm(goal).prompt);
  });

  it('turns every tactic of its names back exactly', () => {
    const words = [
      'ih',
      'ys',
      'app',
      'k',
      'simp',
      'exact',
      '[',
      ']',
      ', ',
      '\n  ',
      'Stp.app',
      'app.eq_1',
      'ys.length',
      '<;>',
      '1',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 20 }), (parts) => {
        const { targetOf, read } = slottedStateForm(GOAL, [APP], 100);
        const text = parts.join(' ').replace(/ +\n/gu, '\n').trim();
        const target = targetOf(text);
        fc.pre(target !== null);
        const proof = text
          .split('\n')
          .map((line) => line.trimEnd())
          .join('\n');
        expect(read(target!, 'stop')).toMatchObject({ kind: 'proof', proof });
      }),
      { seed: 1, numRuns: 1_000 },
    );
  });
});

it('a tokenizer has the marker where its texts have it', () => {
  expect(markersOf(['<prove>a<by>'])).not.toContain('<state>');
  expect(markersOf(['<prove>a<by>', '<state>a<by>'])).toContain('<state>');
  expect(markersOf(['<defs>a', '<state>a<by>'])).toEqual(expect.arrayContaining(['<state>', '<f0>']));
});
