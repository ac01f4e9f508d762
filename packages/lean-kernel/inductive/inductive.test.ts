/** Inductive types: allowed declarations, their consequences, and refused ones. */
import { describe, expect, it } from 'vitest';
import { Budget, DEFAULT_LIMITS } from '../budget.ts';
import type { RecursorConstant } from '../environment.ts';
import { Substitution } from '../substitution.ts';
import {
  arrow,
  Build,
  c,
  call,
  equal,
  fn,
  maximum,
  number,
  pi,
  prop,
  refl,
  sort,
  successor,
  type TypeWords,
  type,
  v,
  type Word,
  withPrelude,
} from '../testing/build.ts';
import type { Rule, Verdict } from '../verdict.ts';

const accepted: Verdict = { kind: 'accepted' };
const rule = (verdict: Verdict): Rule | string => (verdict.kind === 'rejected' ? verdict.rule : verdict.kind);
const nat = c('Nat');
const prelude = (): Build => withPrelude(new Build());
const one = (name: string, its: Word, constructors: TypeWords['constructors'], indices = 0): TypeWords[] => [
  { name, type: its, constructors, indices },
];
const recursor = (build: Build, name: string): RecursorConstant => {
  const constant = build.kernel.environment.find(build.name(name));
  if (constant?.kind !== 'recursor') throw new Error(`${name} is no recursor`);
  return constant;
};

const list: TypeWords[] = one('List', arrow(sort(successor('u')), sort(successor('u'))), [
  ['List.nil', pi('α', sort(successor('u')), call(c('List', 'u'), v('α')))],
  [
    'List.cons',
    pi('α', sort(successor('u')), arrow(v('α'), arrow(call(c('List', 'u'), v('α')), call(c('List', 'u'), v('α'))))),
  ],
]);

describe('blocks that are accepted', () => {
  it('derives the recursor of numbers', () => {
    const build = prelude();
    const its = recursor(build, 'Nat.rec');
    const motive = v('motive');
    const expected = pi(
      'motive',
      arrow(nat, sort('u')),
      arrow(
        call(motive, c('Nat.zero')),
        arrow(
          pi('n', nat, arrow(call(motive, v('n')), call(motive, call(c('Nat.succ'), v('n'))))),
          pi('t', nat, call(motive, v('t'))),
        ),
      ),
    );
    expect(its.type).toBe(build.term(expected));
    expect(its).toMatchObject({ parameters: 0, indices: 0, motives: 1, minors: 2, k: false });
  });

  it('lets equality and conjunction eliminate into all universes, disjunction not', () => {
    const build = prelude();
    expect(recursor(build, 'Eq.rec').levelParams).toHaveLength(2);
    expect(recursor(build, 'Eq.rec').k).toBe(true);
    expect(recursor(build, 'And.rec').levelParams).toHaveLength(1);
    const or = one('Or', arrow(prop, arrow(prop, prop)), [
      ['Or.inl', pi('a', prop, pi('b', prop, arrow(v('a'), call(c('Or'), v('a'), v('b')))))],
      ['Or.inr', pi('a', prop, pi('b', prop, arrow(v('b'), call(c('Or'), v('a'), v('b')))))],
    ]);
    expect(build.inductive(or, 2)).toEqual(accepted);
    expect(recursor(build, 'Or.rec').levelParams).toHaveLength(0);
    // The witness does not occur in the type.
    const exists = one('Some', prop, [['Some.intro', arrow(nat, c('Some'))]]);
    expect(build.inductive(exists)).toEqual(accepted);
    expect(recursor(build, 'Some.rec').levelParams).toHaveLength(0);
  });

  it('takes a nested block apart: a tree of lists of trees has two recursors', () => {
    const build = prelude();
    expect(build.inductive(list, 1, ['u'])).toEqual(accepted);
    const tree = one('Tree', type, [['Tree.node', arrow(call(c('List', 0), c('Tree')), c('Tree'))]]);
    expect(build.inductive(tree)).toEqual(accepted);
    const [of, ofLists] = [recursor(build, 'Tree.rec'), recursor(build, 'Tree.rec_1')];
    expect([of.motives, of.minors, ofLists.motives, ofLists.rules.length]).toEqual([2, 3, 2, 2]);
    expect(ofLists.inductive).toBe(build.name('List'));
    // The number of nodes, by both recursors: node [node [], node []] has 3.
    const trees = call(c('List', 0), c('Tree'));
    const sizeOf = (value: Word): Word =>
      call(
        c('Tree.rec', 1),
        fn('_', c('Tree'), nat),
        fn('_', trees, nat),
        fn('children', trees, fn('sizes', nat, call(c('Nat.succ'), v('sizes')))),
        number(0),
        fn(
          'first',
          c('Tree'),
          fn(
            'others',
            trees,
            fn(
              'a',
              nat,
              fn(
                'b',
                nat,
                call(
                  c('Nat.rec', 1),
                  fn('_', nat, nat),
                  v('a'),
                  fn('_', nat, fn('sum', nat, call(c('Nat.succ'), v('sum')))),
                  v('b'),
                ),
              ),
            ),
          ),
        ),
        value,
      );
    const nil = call(c('List.nil', 0), c('Tree'));
    const leaf = call(c('Tree.node'), nil);
    const cons = (head: Word, tail: Word): Word => call(c('List.cons', 0), c('Tree'), head, tail);
    const three = call(c('Tree.node'), cons(leaf, cons(leaf, nil)));
    expect(build.prove('t', equal(nat, sizeOf(three), number(3)), refl(nat, number(3)))).toEqual(accepted);
    expect(rule(build.prove('bad', equal(nat, sizeOf(three), number(2)), refl(nat, number(2))))).toBe(
      'declaration-type',
    );
  });

  it('takes mutual blocks, functions into the type, and indices', () => {
    const build = prelude();
    const even: TypeWords[] = [
      {
        name: 'Even',
        type: arrow(nat, prop),
        indices: 1,
        constructors: [
          ['Even.zero', call(c('Even'), number(0))],
          ['Even.succ', pi('n', nat, arrow(call(c('Odd'), v('n')), call(c('Even'), call(c('Nat.succ'), v('n')))))],
        ],
      },
      {
        name: 'Odd',
        type: arrow(nat, prop),
        indices: 1,
        constructors: [
          ['Odd.succ', pi('n', nat, arrow(call(c('Even'), v('n')), call(c('Odd'), call(c('Nat.succ'), v('n')))))],
        ],
      },
    ];
    expect(build.inductive(even)).toEqual(accepted);
    expect(recursor(build, 'Odd.rec')).toMatchObject({ motives: 2, minors: 3, levelParams: [] });
    const ordinal = one('Ordinal', type, [
      ['Ordinal.zero', c('Ordinal')],
      ['Ordinal.limit', arrow(arrow(nat, c('Ordinal')), c('Ordinal'))],
    ]);
    expect(build.inductive(ordinal)).toEqual(accepted);
  });

  it('reduces the type of a field, not that of a constructor', () => {
    const build = prelude();
    build.define('Const', arrow(type, arrow(type, type)), fn('a', type, fn('b', type, v('a'))));
    // `Const Nat T` mentions T and reduces to a type that does not.
    const good = one('T', type, [['T.mk', arrow(call(c('Const'), nat, c('T')), c('T'))]]);
    expect(build.inductive(good)).toEqual(accepted);
    build.define('Id', arrow(type, type), fn('a', type, v('a')));
    const bad = one('S', type, [['S.mk', call(c('Id'), c('S'))]]);
    expect(rule(build.inductive(bad))).toBe('constructor');
  });
});

describe('blocks that are refused', () => {
  it.each<[string, Rule, TypeWords[], number, string[]]>([
    ['a type that is no sort', 'inductive-type', one('T', nat, []), 0, []],
    ['fewer parameters than claimed', 'inductive-type', one('T', type, []), 1, []],
    ['a universe parameter twice', 'level-parameters', one('T', type, []), 0, ['u', 'u']],
    ['a negative occurrence', 'positivity', one('T', type, [['T.mk', arrow(arrow(c('T'), nat), c('T'))]]), 0, []],
    [
      'an occurrence two arrows deep',
      'positivity',
      one('T', type, [['T.mk', arrow(arrow(arrow(c('T'), nat), nat), c('T'))]]),
      0,
      [],
    ],
    [
      'an occurrence as an argument of a variable',
      'positivity',
      one('T', prop, [['T.mk', pi('f', arrow(prop, prop), arrow(call(v('f'), c('T')), c('T')))]]),
      0,
      [],
    ],
    ['a field above its universe', 'universe', one('T', type, [['T.mk', arrow(type, c('T'))]]), 0, []],
    [
      'a field above a universe that may be zero',
      'universe',
      one('T', sort('u'), [['T.mk', arrow(nat, c('T', 'u'))]]),
      0,
      ['u'],
    ],
    ['another result', 'constructor', one('T', type, [['T.mk', nat]]), 0, []],
    [
      'itself in an index of the result',
      'constructor',
      one('T', arrow(sort(2), sort(2)), [['T.mk', call(c('T'), call(c('T'), type))]], 1),
      0,
      [],
    ],
    [
      'a constructor for other parameters',
      'constructor',
      one('T', arrow(type, type), [['T.mk', pi('α', type, call(c('T'), nat))]]),
      1,
      [],
    ],
    [
      'levels in another order',
      'constructor',
      one('T', sort(successor(maximum('u', 'v'))), [['T.mk', c('T', 'v', 'u')]]),
      0,
      ['u', 'v'],
    ],
    [
      'two constructors of one name',
      'constructor',
      one('T', type, [
        ['T.mk', c('T')],
        ['T.mk', c('T')],
      ]),
      0,
      [],
    ],
    ['a name that is taken', 'name', one('T', type, [['Nat.zero', c('T')]]), 0, []],
    ['a constructor named as the recursor', 'name', one('T', type, [['T.rec', c('T')]]), 0, []],
  ])('%s', (_, name, types, parameters, levelParams) => {
    expect(rule(prelude().inductive(types, parameters, levelParams))).toBe(name);
  });

  it('types of a block in different universes', () => {
    const block: TypeWords[] = [
      { name: 'A', type, constructors: [] },
      { name: 'B', type: sort(2), constructors: [] },
    ];
    expect(rule(prelude().inductive(block))).toBe('inductive-type');
  });

  it('nesting under a field: the argument of the outer type may not be a variable', () => {
    const build = prelude();
    build.inductive(list, 1, ['u']);
    const pair = one('Both', arrow(type, arrow(type, type)), [
      ['Both.mk', pi('α', type, pi('β', type, arrow(v('α'), arrow(v('β'), call(c('Both'), v('α'), v('β'))))))],
    ]);
    expect(build.inductive(pair, 2)).toEqual(accepted);
    const bad = one('T', sort(2), [['T.mk', pi('α', type, arrow(call(c('Both'), v('α'), nat), c('T')))]]);
    expect(build.inductive(bad)).toEqual(accepted);
    const nested = one('S', type, [['S.mk', pi('f', arrow(nat, nat), arrow(call(c('Fam'), v('f'), c('S')), c('S')))]]);
    const family = one('Fam', arrow(arrow(nat, nat), arrow(type, type)), [
      ['Fam.mk', pi('f', arrow(nat, nat), pi('α', type, arrow(v('α'), call(c('Fam'), v('f'), v('α')))))],
    ]);
    expect(build.inductive(family, 2)).toEqual(accepted);
    expect(rule(build.inductive(nested))).toBe('nested');
  });

  it('negative nesting through a type that uses its parameter negatively', () => {
    const build = prelude();
    const negative = one('Neg', arrow(type, type), [
      ['Neg.mk', pi('α', type, arrow(arrow(v('α'), nat), call(c('Neg'), v('α'))))],
    ]);
    expect(build.inductive(negative, 1)).toEqual(accepted);
    const bad = one('T', type, [['T.mk', arrow(call(c('Neg'), c('T')), c('T'))]]);
    expect(rule(build.inductive(bad))).toBe('positivity');
  });

  it('auxiliary types named in the source', () => {
    const build = prelude();
    const bad = one('T', type, [['T.mk', arrow(c('_nested.0'), c('T'))]]);
    expect(rule(build.inductive(bad))).toBe('constant');
  });

  it('a claimed recursor that says more than follows', () => {
    const build = new Build();
    const bool = one('Bool', type, [
      ['Bool.false', c('Bool')],
      ['Bool.true', c('Bool')],
    ]);
    const other = new Build({}, build.terms);
    expect(other.inductive(bool)).toEqual(accepted);
    const its = recursor(other, 'Bool.rec');
    const record = { ...its, rules: [...its.rules] };
    const claim = (change: Partial<typeof record>): Verdict =>
      new Build({}, build.terms).inductive(bool, 0, [], [{ ...record, ...change }]);
    expect(claim({})).toEqual(accepted);
    // Other names of universe parameters say the same.
    expect(
      claim({
        levelParams: [build.name('w')],
        type: renamed(build, its.type),
        rules: its.rules.map((of) => ({ ...of, value: renamed(build, of.value) })),
      }),
    ).toEqual(accepted);
    expect(rule(claim({ k: true }))).toBe('recursor');
    expect(rule(claim({ rules: its.rules.toReversed() }))).toBe('recursor');
    expect(rule(claim({ rules: [{ ...its.rules[0]!, value: its.rules[1]!.value }, its.rules[1]!] }))).toBe('recursor');
    expect(rule(claim({ type: build.term(prop) }))).toBe('recursor');
    expect(rule(claim({ name: build.name('Bool.rec2') }))).toBe('recursor');
  });
});

/** Renames the universe parameter `u` to `w`. */
function renamed(build: Build, term: ReturnType<Build['term']>): ReturnType<Build['term']> {
  const substitution = new Substitution(build.terms, new Budget(DEFAULT_LIMITS));
  return substitution.instantiateLevels(term, [build.name('u')], [build.level('w')]);
}
