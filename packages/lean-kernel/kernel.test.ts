/** Rules of inference and of declarations: each accepted in a good case and rejected, by its name, in a bad one. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from './budget.ts';
import {
  arrow,
  Build,
  c,
  call,
  equal,
  fn,
  local,
  number,
  pi,
  projection,
  prop,
  raw,
  refl,
  sort,
  successor,
  text,
  type,
  v,
  type Word,
  withPrelude,
} from './testing/build.ts';
import type { Rule, Verdict } from './verdict.ts';

const accepted: Verdict = { kind: 'accepted' };
const rule = (verdict: Verdict): Rule | string => (verdict.kind === 'rejected' ? verdict.rule : verdict.kind);
const nat = c('Nat');
const prelude = (): Build => withPrelude(new Build());

describe('definitions', () => {
  it('accepts the identity and its use at a type', () => {
    const build = prelude();
    expect(
      build.define('id', pi('α', sort('u'), arrow(v('α'), v('α'))), fn('α', sort('u'), fn('a', v('α'), v('a'))), ['u']),
    ).toEqual(accepted);
    expect(build.prove('t', equal(nat, call(c('id', 1), nat, number(3)), number(3)), refl(nat, number(3)))).toEqual(
      accepted,
    );
  });

  it.each<[string, Rule, Word, Word, string[]]>([
    ['a value of another type', 'declaration-type', nat, c('Bool.true'), []],
    ['a value in the place of a type', 'sort', c('Nat.zero'), c('Nat.zero'), []],
    ['a constant that is not there', 'constant', nat, c('nowhere'), []],
    ['a constant with too many levels', 'constant', nat, c('Nat.zero', 0), []],
    ['a level that is no parameter', 'level', sort(2), sort('w'), []],
    ['a universe parameter twice', 'level-parameters', nat, c('Nat.zero'), ['u', 'u']],
    ['a variable without a binder', 'closed', nat, raw(0), []],
    ['an argument of another type', 'application', nat, call(c('Nat.succ'), c('Bool.true')), []],
    ['too many arguments', 'application', nat, call(c('Nat.zero'), c('Nat.zero')), []],
    ['a binder that is no type', 'sort', arrow(nat, nat), fn('x', c('Nat.zero'), v('x')), []],
    ['a let of another type', 'let', nat, local('x', c('Bool'), number(1), number(2)), []],
    [
      'a field that is not there',
      'projection',
      prop,
      fn('h', call(c('And'), c('True'), c('True')), projection('And', 2, v('h'))),
      [],
    ],
    [
      'a projection of another structure',
      'projection',
      prop,
      fn('h', call(c('And'), c('True'), c('True')), projection('Unit', 0, v('h'))),
      [],
    ],
    ['a projection of a type with two constructors', 'projection', nat, projection('Bool', 0, c('Bool.true')), []],
  ])('rejects %s', (_, name, its, value, params) => {
    expect(rule(prelude().define('d', its, value, params))).toBe(name);
  });

  it('rejects a name that is taken, and a theorem that is no proposition', () => {
    const build = prelude();
    expect(rule(build.define('Nat', type, nat))).toBe('name');
    expect(rule(build.prove('t', nat, number(1)))).toBe('theorem-type');
  });

  it('cannot refer to itself', () => {
    expect(rule(prelude().prove('t', c('False'), c('t')))).toBe('constant');
  });

  it('declines what is unsafe or partial, and what rests on it', () => {
    const build = prelude();
    const unsafe = build.kernel.add({
      kind: 'definition',
      name: build.name('f'),
      levelParams: [],
      type: build.term(c('False')),
      value: build.term(c('f')),
      hint: 'opaque',
      safety: 'partial',
    });
    expect(unsafe.kind).toBe('declined');
    expect(build.prove('t', c('False'), c('f')).kind).toBe('declined');
  });
});

describe('equality', () => {
  const pairs: [string, Word, Word, Word][] = [
    ['beta', nat, call(fn('x', nat, v('x')), number(2)), number(2)],
    ['let', nat, local('x', nat, number(2), call(c('Nat.succ'), v('x'))), number(3)],
    ['eta', arrow(nat, nat), fn('x', nat, call(c('Nat.succ'), v('x'))), c('Nat.succ')],
    ['a literal and constructors', nat, number(2), call(c('Nat.succ'), call(c('Nat.succ'), c('Nat.zero')))],
  ];
  it.each(pairs)('%s', (_, its, left, right) => {
    expect(prelude().prove('t', equal(its, left, right), refl(its, left))).toEqual(accepted);
  });

  it('takes different numbers and different variables for different', () => {
    const build = prelude();
    expect(rule(build.prove('t', equal(nat, number(2), number(3)), refl(nat, number(2))))).toBe('declaration-type');
    expect(
      rule(
        build.prove(
          't',
          pi('x', nat, pi('y', nat, equal(nat, v('x'), v('y')))),
          fn('x', nat, fn('y', nat, refl(nat, v('x')))),
        ),
      ),
    ).toBe('declaration-type');
  });

  it('takes proofs of one proposition for equal, and data not', () => {
    const statement = (its: Word, level: number) =>
      pi('p', its, pi('x', v('p'), pi('y', v('p'), equal(v('p'), v('x'), v('y'), level))));
    const proof = (its: Word, level: number) =>
      fn('p', its, fn('x', v('p'), fn('y', v('p'), refl(v('p'), v('x'), level))));
    expect(prelude().prove('t', statement(prop, 0), proof(prop, 0))).toEqual(accepted);
    expect(rule(prelude().prove('t', statement(type, 1), proof(type, 1)))).toBe('declaration-type');
  });

  it('takes values of a type with one value for equal', () => {
    const unit = c('Unit');
    expect(
      prelude().prove(
        't',
        pi('x', unit, pi('y', unit, equal(unit, v('x'), v('y')))),
        fn('x', unit, fn('y', unit, refl(unit, v('x')))),
      ),
    ).toEqual(accepted);
  });

  it('takes a value of a structure for its constructor at its projections', () => {
    const build = prelude();
    const pair = c('Pair');
    build.inductive([{ name: 'Pair', type, constructors: [['Pair.mk', arrow(nat, arrow(nat, pair))]] }]);
    const made = call(c('Pair.mk'), projection('Pair', 0, v('x')), projection('Pair', 1, v('x')));
    const swapped = call(c('Pair.mk'), projection('Pair', 1, v('x')), projection('Pair', 0, v('x')));
    expect(build.prove('t', pi('x', pair, equal(pair, v('x'), made)), fn('x', pair, refl(pair, v('x'))))).toEqual(
      accepted,
    );
    expect(
      rule(build.prove('bad', pi('x', pair, equal(pair, v('x'), swapped)), fn('x', pair, refl(pair, v('x'))))),
    ).toBe('declaration-type');
  });

  it('reduces recursors, also on literals', () => {
    const build = prelude();
    const double = fn(
      'n',
      nat,
      call(
        c('Nat.rec', 1),
        fn('_', nat, nat),
        c('Nat.zero'),
        fn('_', nat, fn('ih', nat, call(c('Nat.succ'), call(c('Nat.succ'), v('ih'))))),
        v('n'),
      ),
    );
    expect(build.define('double', arrow(nat, nat), double)).toEqual(accepted);
    expect(build.prove('t', equal(nat, call(c('double'), number(4)), number(8)), refl(nat, number(8)))).toEqual(
      accepted,
    );
    expect(rule(build.prove('bad', equal(nat, call(c('double'), number(4)), number(9)), refl(nat, number(9))))).toBe(
      'declaration-type',
    );
  });

  it('reduces a K-like recursor on any proof whose sides are equal, and on no other', () => {
    const build = prelude();
    const cast = (proof: Word) =>
      call(
        c('Eq.rec', 1, 1),
        nat,
        number(1),
        fn('b', nat, fn('_', equal(nat, number(1), v('b')), nat)),
        number(7),
        number(1),
        proof,
      );
    expect(
      build.prove(
        't',
        pi('h', equal(nat, number(1), number(1)), equal(nat, cast(v('h')), number(7))),
        fn('h', equal(nat, number(1), number(1)), refl(nat, number(7))),
      ),
    ).toEqual(accepted);
    const other = call(
      c('Eq.rec', 1, 1),
      nat,
      number(1),
      fn('b', nat, fn('_', equal(nat, number(1), v('b')), nat)),
      number(7),
      number(2),
      v('h'),
    );
    const h = equal(nat, number(1), number(2));
    expect(rule(build.prove('bad', pi('h', h, equal(nat, other, number(7))), fn('h', h, refl(nat, number(7)))))).toBe(
      'declaration-type',
    );
  });
});

describe('strings', () => {
  it('are what makes them, and have no type without that', () => {
    const build = prelude();
    expect(rule(build.define('s', c('Nat'), text('a')))).toBe('literal');
    build.axiom('Char', type);
    build.axiom('Char.ofNat', arrow(nat, c('Char')));
    const list = (its: Word): Word => call(c('List', 'u'), its);
    const its = sort(successor('u'));
    build.inductive(
      [
        {
          name: 'List',
          type: arrow(its, its),
          constructors: [
            ['List.nil', pi('α', its, list(v('α')))],
            ['List.cons', pi('α', its, arrow(v('α'), arrow(list(v('α')), list(v('α')))))],
          ],
        },
      ],
      1,
      ['u'],
    );
    const chars = call(c('List', 0), c('Char'));
    build.axiom('String', type);
    build.axiom('String.ofList', arrow(chars, c('String')));
    const made = (code: number): Word => {
      const letter = call(c('Char.ofNat'), number(code));
      return call(c('String.ofList'), call(c('List.cons', 0), c('Char'), letter, call(c('List.nil', 0), c('Char'))));
    };
    const same = (name: string, left: Word, right: Word): Verdict =>
      build.prove(name, equal(c('String'), left, right), refl(c('String'), left));
    expect(same('t', text('a'), made(97))).toEqual(accepted);
    expect(same('emoji', text('😀'), made(0x1f600))).toEqual(accepted);
    expect(rule(same('bad', text('a'), made(98)))).toBe('declaration-type');
    expect(rule(same('worse', text('a'), text('b')))).toBe('declaration-type');
  });
});

describe('limits', () => {
  const tower = (height: number): Word =>
    height === 0 ? c('Nat.zero') : call(fn('x', nat, call(c('Nat.succ'), v('x'))), tower(height - 1));

  it('declines beyond its fuel and number of expressions, and goes on', () => {
    for (const limit of [{ fuel: 20 }, { nodes: 5 }]) {
      const build = withPrelude(new Build());
      const small = new Build({ limits: { ...DEFAULT_LIMITS, ...limit } }, build.terms);
      for (const constant of build.kernel.environment.constants()) small.kernel.environment.declare(constant);
      expect(small.prove('t', equal(nat, tower(30), number(30)), refl(nat, number(30))).kind).toBe('declined');
      expect(small.define('d', type, nat)).toEqual(accepted);
    }
  });

  it('declines a term deeper than the stack', () => {
    const build = prelude();
    let deep = build.term(c('Nat.zero'));
    const succ = build.term(c('Nat.succ'));
    for (let at = 0; at < 90_000; at++) deep = build.terms.application(succ, deep);
    const verdict = build.kernel.add({
      kind: 'definition',
      name: build.name('d'),
      levelParams: [],
      type: build.term(nat),
      value: deep,
      hint: 'abbrev',
      safety: 'safe',
    });
    expect(verdict.kind).toBe('declined');
    expect(build.define('e', type, nat)).toEqual(accepted);
  });

  it('leaves nothing behind: a check, accepted or not, leaves the tables as they were', () => {
    const build = prelude();
    const check = (): void => {
      build.prove('t', equal(nat, tower(20), number(21)), refl(nat, number(20)));
      build.define('Nat.zero', type, nat);
    };
    check();
    const before = build.terms.nodes.count;
    for (let at = 0; at < 20; at++) check();
    expect(build.terms.nodes.count).toBe(before);
  });
});
