/** The space of actions: what is composed for a statement, in which order, at which price. */
import { expect, it } from 'vitest';
import type { ContextBinder, StatementContext } from '../context/statement-context.ts';
import { actionPrice } from './action-price.ts';
import { actionsFor } from './actions.ts';

const LIST = { name: 'List', isRecursive: true, constructors: ['nil', 'cons'] };
const binder = (name: string, more: Partial<ContextBinder> = {}): ContextBinder => ({
  ...{
    name,
    kind: 'variable',
    isExplicit: true,
    isIntroduced: true,
    isShadowed: false,
    typeHead: 'List',
    inductive: LIST,
  },
  ...more,
});
const context: StatementContext = {
  binders: [
    binder('α', { kind: 'type', typeHead: null, inductive: null }),
    binder('xs'),
    binder('ys', { isIntroduced: false }),
    binder('h', {
      kind: 'hypothesis',
      typeHead: 'Or',
      inductive: { name: 'Or', isRecursive: false, constructors: [] },
    }),
  ],
  definitions: [],
  applications: [],
  predicates: [],
  coreFunctions: ['List.map'],
  unfoldsToCond: false,
  grind: 'grind',
  core: ['List', 'Eq', 'List.map', 'HAppend.hAppend', 'List.instAppend', 'List.nil', 'BEq.beq'],
};
const premises = Array.from({ length: 12 }, (_, rank) => ({ written: `p${rank}`, parts: ['says:='] }));
const actions = actionsFor(context, premises);
const texts = actions.map(({ proof }) => proof);

it('composes beginnings by the types of variables with ends, over functions that the statement mentions', () => {
  for (const text of [
    'cases xs <;> rfl',
    'induction xs generalizing ys <;> simp_all [List.map]',
    'cases xs <;> cases ys <;> grind [List.map]',
    'cases h <;> grind',
    'unfold List.map <;> (try split) <;> simp_all',
    'rw [← p3] <;> first | assumption | rfl | omega | (simp_all; done)',
    'induction xs <;> grind [p0, p1, p2]',
    'intros <;> solve_by_elim [p0, p1, p2, p3, p4, p5, p6, p7]',
    'induction xs generalizing ys <;> (try simp_all) <;> solve_by_elim [p0, p1, p2, p3, p4, p5, p6, p7]',
    'constructor <;> (try intro) <;> grind',
  ])
    expect(texts).toContain(`  intro ys\n  ${text}`);
  // Neither constructors, nor instances, nor operations of a class unfold.
  expect(texts.join()).not.toMatch(/List\.nil|instAppend|hAppend|beq/u);
  expect(new Set(texts).size).toBe(texts.length);
});

it('unfolds defined predicates, applies constructors, and follows the recursion of functions', () => {
  const own = actionsFor(
    {
      ...context,
      predicates: [
        { name: 'IsPrefix', constructors: [] },
        { name: 'Perm', constructors: ['Perm.nil', 'Perm.cons'] },
      ],
      applications: [
        { definition: 'List.take', written: 'take', isRecursive: true, arguments: ['n', 'xs'] },
        { definition: 'List.map', written: 'map', isRecursive: false, arguments: ['f', 'xs'] },
      ],
      core: ['Or', 'Iff'],
      coreFunctions: [],
    },
    premises.slice(0, 1),
  );
  const written = own.map(({ proof }) => proof.replace(/^ {2}intro ys\n {2}/u, ''));
  for (const text of [
    'simp_all [IsPrefix]',
    'induction xs <;> grind [Perm, IsPrefix]',
    'fun_induction take n xs <;> simp_all [IsPrefix]',
    'cases h <;> (try simp_all) <;> solve_by_elim [Perm.nil, Perm.cons, Or.inl, Or.inr, Iff.intro, p0]',
    'constructor <;> intro stp_one <;> cases stp_one <;> simp_all',
  ])
    expect(written).toContain(text);
  expect(written.join()).not.toContain('fun_induction map');
});

it('writes grind without the solvers that the imports lack, and with a rule for `cond` where functions have it', () => {
  const own = actionsFor({ ...context, grind: 'grind -lia', unfoldsToCond: true }, premises);
  const written = own.map(({ proof }) => proof);
  expect(written).toContain('  intro ys\n  induction xs <;> grind -lia [List.map, Bool.cond_eq_ite]');
  expect(written).toContain('  intro ys\n  cases xs <;> simp_all [List.map]');
  expect(written.join()).not.toMatch(/grind(?! -lia)/u);
});

it('splits hypotheses without a name, and does induction on those of a recursive type', () => {
  const sublist = { name: 'List.Sublist', isRecursive: true, constructors: [] };
  const unnamed = binder('', { name: null, kind: 'hypothesis', isIntroduced: false, inductive: sublist });
  const hidden = binder('', { name: null, kind: 'hypothesis', inductive: sublist });
  const own = actionsFor({ ...context, binders: [...context.binders, hidden, unnamed], core: ['Not'] }, []);
  const written = own.map(({ proof }) => proof);
  expect(written).toContain('  intro ys stp_h5\n  induction stp_h5 <;> grind');
  expect(written).toContain('  intro ys stp_h5\n  intro stp_not <;> cases stp_not <;> simp_all');
  expect(written.join()).not.toMatch(/induction h |stp_h4/u);
});

it('puts a strong end of every beginning before weak ones of any, and far premises last', () => {
  const rank = (text: string): number => texts.indexOf(`  intro ys\n  ${text}`);
  const strong = ['cases xs', 'induction xs', 'cases xs <;> cases ys'].map((head) => `${head} <;> simp_all [List.map]`);
  for (const text of strong) expect(rank(text)).toBeLessThan(rank('decide'));
  expect(rank('rfl')).toBe(0);
  expect(rank('apply p0 <;> first | assumption | rfl | omega | (simp_all; done)')).toBeLessThan(rank('simp'));
  expect(rank('simpa using p11 ..')).toBeGreaterThan(rank('cases xs <;> simp'));
});

it('has a price for every kind of action, more after a beginning', () => {
  const priced = new Set(actions.map(({ parts }) => `${parts.slice(0, 3).join()} ${actionPrice(parts)}`));
  for (const one of priced) expect(one).not.toMatch(/ NaN$| 0$/u);
  const price = (text: string): number => actionPrice(actions[texts.indexOf(`  intro ys\n  ${text}`)]!.parts);
  expect(price('induction xs <;> grind')).toBeGreaterThan(1.5 * price('grind'));
  expect(price('cases xs <;> simp_all [List.map]')).toBeGreaterThan(price('simp_all [List.map]'));
});

it('reduces relations to those of images, and moves functions inwards', () => {
  const image = '·.toBitVec';
  const own = actionsFor({ ...context, core: ['Ne'] }, premises.slice(0, 1), [
    {
      transfers: [
        { written: 'toBitVec_inj', relation: '=', image, valuesOn: 'right' },
        { written: 'lt_iff', relation: '<', image, valuesOn: 'left' },
        { written: 'ext', relation: '=', image, valuesOn: null },
      ],
      pushes: ['toBitVec_add'],
      further: ['setWidth_add'],
      analogues: ['BitVec.add_comm'],
    },
    {
      transfers: [{ written: 'ext', relation: '=', image: '·.toList', valuesOn: null }],
      pushes: ['toList_map'],
      further: [],
      analogues: [],
    },
  ]);
  const found = own.filter(({ parts }) => parts.includes('begins:nothing') && parts[1]!.startsWith('ends:transfer'));
  expect(found.map(({ proof }) => proof.replace(/^ {2}intro ys\n {2}/u, ''))).toEqual([
    'simp +singlePass only [Ne, ← toBitVec_inj, lt_iff] at * <;> (try simp only [toBitVec_add] at *) <;> first | exact BitVec.add_comm .. | ((try simp_all [setWidth_add]) <;> omega)',
    'apply ext <;> (try simp only [toList_map] at *) <;> first | ((try simp_all) <;> omega)',
  ]);
  expect(found[0]!.parts.slice(3)).toEqual(['image:·.toBitVec', 'transfers:=', 'transfers:<', 'pushes:1']);
  expect(found.map(({ parts }) => actionPrice(parts))).toEqual([10, 8]);
});

it('rewrites by one equation at a time, with the functions that it brings in', () => {
  const rules = [
    { written: 'Std.Rco.getElem?_toList_eq', brings: ['Option.filter'] },
    { written: 'getElem?_pos', brings: [] },
  ];
  const found = actionsFor(context, [], [], rules).filter(({ parts }) => parts.includes('ends:rule'));
  expect(found.map(({ proof }) => proof.replace(/^ {2}intro ys\n {2}/u, '').split(' <;> ')[0])).toEqual([
    '(try simp_all [Std.Rco.getElem?_toList_eq, Option.filter])',
    '(try simp_all [getElem?_pos])',
  ]);
  expect(found[1]!.parts.slice(0, 5)).toEqual([
    'begins:nothing',
    'ends:rule',
    'names:premise',
    'premise:getElem?_pos',
    'rank:1',
  ]);
});
