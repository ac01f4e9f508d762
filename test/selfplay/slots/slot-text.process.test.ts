/** Names to slots and back: over every statement of the problem sets, every proof of the library, and texts made to be mistaken. */
import { isDeepStrictEqual } from 'node:util';
import type { ShownDefinition } from '@stp/config/records';
import { SLOT_TOKENS } from '@stp/config/words';
import { boundNames, displayProof, displayStatement, plainForm, slottedForm } from '@stp/selfplay';
import { fromSlots, slotTable, toSlots } from '@stp/selfplay/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repositorySources } from '../../../workers/sources.ts';

const sources = repositorySources();
const definitions = await sources.definitions();
const theorems = await sources.libraryTheorems();
const SETS = ['nng', 'isaplanner', 'tip2015', 'minif2f-core'];
const problems = (await Promise.all(SETS.map((set) => Array.fromAsync(sources.problemSet(set))))).flat();
const shownBy = ({ header, statement }: { header: string | null; statement: string }) =>
  definitions.under(header, statement, boundNames(statement));
const tableOf = (stated: { header: string | null; statement: string }) => slotTable(stated.statement, shownBy(stated));
/** Removes what white space may change. */
const bare = (text: string): string => text.replace(/\s+/gu, '');

const definition = (name: string, more: Partial<ShownDefinition> = {}): ShownDefinition => ({
  name: `Stp.${name}`,
  written: name,
  kind: 'function',
  distance: 0,
  signature: ': Nat → Nat',
  equations: [],
  constructors: [],
  ...more,
});
const TREE = definition('Tree', {
  kind: 'inductive',
  signature: '(α : Type)',
  equations: ['leaf : Tree α', 'node : Tree α → α → Tree α → Tree α'],
  constructors: ['leaf', 'node'],
});
const STATEMENT = 'theorem t (xs f0 : List Nat) (h : xs = f0) : app xs f0 = app f0 xs';
const table = slotTable(STATEMENT, [definition('app'), TREE, definition('Tree.size')]);

describe('slots', () => {
  it('come back as the names they stand for, in every statement of the problem sets', () => {
    expect(problems.length).toBeGreaterThan(400);
    for (const problem of problems) {
      const text = displayStatement(problem.statement);
      const slots = toSlots(text, tableOf(problem));
      expect(slots).not.toBeNull();
      expect(bare(fromSlots(slots!, tableOf(problem)))).toBe(bare(text));
    }
  });

  it('come back without a change in every proof of the library', () => {
    for (const theorem of theorems) {
      const proof = displayProof(theorem.proof);
      const slots = toSlots(proof, tableOf(theorem));
      expect(slots).not.toBeNull();
      expect(fromSlots(slots!, tableOf(theorem))).toBe(proof);
    }
  });

  it('come back from any text of tokens, white space aside', () => {
    const names = [...table.slotOf.keys(), 'Stp.app', 'xs.length', 'app.eq_1', 'f1', 's0', '«xs»', 'h.1', 'ih', 'rfl'];
    const other = [
      '(',
      ')',
      '[',
      ']',
      '←',
      '·',
      '<;>',
      '<',
      '>',
      ':=',
      '-',
      '!',
      '"a xs"',
      '42',
      '@',
      '\n  ',
      ' ',
      ', ',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names, ...other), { maxLength: 40 }), (words) => {
        const text = words.join(' ');
        const slots = toSlots(text, table);
        fc.pre(slots !== null);
        expect(fromSlots(slots!, table)).toBe(text);
        expect(bare(fromSlots(toSlots(words.join(''), table) ?? words.join(''), table))).toBe(bare(words.join('')));
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  it.each([
    ['simp [app, xs, ih]', 'simp [<all>,<s0>, ih]', [definition('app')]],
    ['grind [app, size]', 'grind [<all>]', [definition('app'), definition('size')]],
    ['rw [app, h.symm, ← app.eq_1]', 'rw [<f0>,<h0>.symm, ←<f0>.eq_1]', [definition('app')]],
    ['exact Stp.app.eq_1 xs.length List.app', 'exact Stp.<f0>.eq_1<s0>.length List.app', [definition('app')]],
    ['exact Tree.node .leaf xs', 'exact<d0>.<c1> .<c0><s0>', [TREE]],
    ['intro apps; exact xs_app', 'intro apps; exact xs_app', [definition('app')]],
  ])('%s', (text, expected, context) => {
    const own = slotTable(STATEMENT, context);
    expect(toSlots(text, own)).toBe(expected);
    expect(fromSlots(expected, own)).toBe(text);
  });

  it('a name that is spelt as a slot is a name', () => {
    expect(table.slotOf.get('f0')).toBe('<s1>');
    const proof = 'exact f0 f1 s0 d0 all';
    expect(fromSlots(toSlots(proof, table)!, table)).toBe(proof);
  });

  it('text that holds a slot or a marker cannot be written with slots', () => {
    expect(toSlots('exact <f0>', table)).toBeNull();
    expect(toSlots('simp [<all>]', table)).toBeNull();
    expect(toSlots('a <by> b', table)).toBeNull();
    expect(toSlots('a < f0 ∧ f0 > b', table)).not.toBeNull();
  });

  it('what was written with a slot that stands for nothing stays as it is', () => {
    expect(fromSlots('exact<x7>', table)).toBe('exact <x7>');
  });
});

describe('a prompt with slots', () => {
  it('shows every slot that may be written, and no other', () => {
    for (const problem of problems) {
      const { prompt, read } = slottedForm(problem.statement, shownBy(problem), 150);
      for (const slot of SLOT_TOKENS) {
        const isName = !isDeepStrictEqual(read(slot, 'stop'), { kind: 'proof', proof: slot, changed: false });
        expect([slot, isName]).toEqual([slot, prompt.includes(slot)]);
      }
    }
  });

  it('cuts definitions from the far end, a type alone before nothing, and never within an equation', () => {
    const equations = ['0 => 0', 'x + 1 => far x'];
    const shown = [definition('near', { equations }), definition('far', { equations, distance: 1 })];
    const promptOf = (room: number) => slottedForm('theorem t (n : Nat) : near n = n', shown, room).prompt;
    expect(promptOf(60)).toContain('<f1>:Nat→Nat|0=>0|a+1=><f1> a');
    expect(promptOf(30)).toContain('<f0>:Nat→Nat|0=>0|a+1=><f1> a\n<f1>:Nat→Nat<prove>');
    expect(promptOf(20)).toContain('|a+1=>far a<prove>');
    expect(promptOf(0)).toBe('<prove>(<n0> : Nat) : near<n0> =<n0><by>');
  });

  it('is the plain prompt where the statement itself holds a marker', () => {
    const statement = 'theorem t (n : Nat) : "<f0>" = "<f0>"';
    expect(slottedForm(statement, [], 100).prompt).toBe(plainForm(statement).prompt);
  });
});
