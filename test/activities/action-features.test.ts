/** What a ranker of actions is told of a statement and of an action's place in the fixed order. */
import type { ContextBinder, StatementContext } from '@stp/lean-explore';
import { expect, it } from 'vitest';
import { featuresOn, statementTokens } from '../../activities/provers/scripts/order.ts';

const binder = (kind: ContextBinder['kind'], isRecursive = false): ContextBinder => ({
  ...{ name: 'x', kind, isExplicit: true, isIntroduced: true, isShadowed: false, typeHead: null },
  inductive: isRecursive ? { name: 'List', isRecursive, constructors: ['nil', 'cons'] } : null,
});
const CONTEXT: StatementContext = {
  binders: [
    ...[binder('type'), binder('variable', true), binder('variable', true), binder('variable')],
    ...[binder('function'), binder('hypothesis')],
  ],
  definitions: [],
  applications: [{ definition: 'List.map', written: 'List.map', isRecursive: true, arguments: ['f', 'xs'] }],
  predicates: [],
  core: ['Eq', 'List.map'],
  coreFunctions: ['List.map', 'f1', 'f2', 'f3', 'f4'],
  unfoldsToCond: false,
  grind: 'grind -ring',
};

it('describes the form of a statement beside its constants', () => {
  expect(statementTokens('theorem t (xs : List α) : xs = [] → xs.map f = []', CONTEXT)).toEqual([
    ...[
      'size:6',
      'concludes:=',
      'form:#0 = [ ] → #0.map f = [ ]',
      'grind:grind -ring',
      'arrows:1',
      'variables:3',
      'recursive:2',
      'hypotheses:1',
    ],
    ...['functions:1', 'instances:0', 'applied:1', 'unfolds:3', 'predicates:0', 'Eq', 'List.map'],
  ]);
});

it('tells actions apart by their place in the fixed order, coarsely', () => {
  const features = featuresOn(['Eq']);
  const [first, near, far] = [0, 1, 500].map((before) => features({ parts: ['begins:nothing'], before }));
  expect(near!.parts).toEqual(first!.parts);
  expect(far!.parts).not.toEqual(first!.parts);
  expect(near!.tokens).toEqual(first!.tokens);
  // The prior tells them apart finely.
  expect(near!.prior).toBeLessThan(first!.prior);
});
