/** The constants of quotients: their types are fixed, and they compute. */
import { describe, expect, it } from 'vitest';
import type { QuotientRole } from './declaration.ts';
import {
  arrow,
  Build,
  c,
  call,
  equal,
  fn,
  number,
  pi,
  prop,
  refl,
  sort,
  v,
  type Word,
  withPrelude,
} from './testing/build.ts';
import type { Verdict } from './verdict.ts';

const accepted: Verdict = { kind: 'accepted' };
const nat = c('Nat');
const relation = (its: Word): Word => arrow(its, arrow(its, prop));
const quot = (its: Word, by: Word): Word => call(c('Quot', 'u'), its, by);

const TYPES: Record<QuotientRole, [name: string, type: Word, levelParams: string[]]> = {
  type: ['Quot', pi('α', sort('u'), arrow(relation(v('α')), sort('u'))), ['u']],
  ctor: ['Quot.mk', pi('α', sort('u'), pi('r', relation(v('α')), arrow(v('α'), quot(v('α'), v('r'))))), ['u']],
  lift: [
    'Quot.lift',
    pi(
      'α',
      sort('u'),
      pi(
        'r',
        relation(v('α')),
        pi(
          'β',
          sort('v'),
          pi(
            'f',
            arrow(v('α'), v('β')),
            arrow(
              pi(
                'a',
                v('α'),
                pi(
                  'b',
                  v('α'),
                  arrow(call(v('r'), v('a'), v('b')), equal(v('β'), call(v('f'), v('a')), call(v('f'), v('b')), 'v')),
                ),
              ),
              arrow(quot(v('α'), v('r')), v('β')),
            ),
          ),
        ),
      ),
    ),
    ['u', 'v'],
  ],
  ind: [
    'Quot.ind',
    pi(
      'α',
      sort('u'),
      pi(
        'r',
        relation(v('α')),
        pi(
          'β',
          arrow(quot(v('α'), v('r')), prop),
          arrow(
            pi('a', v('α'), call(v('β'), call(c('Quot.mk', 'u'), v('α'), v('r'), v('a')))),
            pi('q', quot(v('α'), v('r')), call(v('β'), v('q'))),
          ),
        ),
      ),
    ),
    ['u'],
  ],
};

function add(build: Build, role: QuotientRole, its = TYPES[role][1]): Verdict {
  const [name, , levelParams] = TYPES[role];
  return build.kernel.add({
    kind: 'quotient',
    role,
    name: build.name(name),
    levelParams: levelParams.map((of) => build.name(of)),
    type: build.term(its),
  });
}

describe('quotients', () => {
  it('are accepted as they must be, and lift computes', () => {
    const build = withPrelude(new Build());
    for (const role of ['type', 'ctor', 'lift', 'ind'] as const) expect(add(build, role)).toEqual(accepted);
    const always = fn('a', nat, fn('b', nat, c('True')));
    const constant = fn('_', nat, number(5));
    const respects = fn('a', nat, fn('b', nat, fn('_', c('True'), refl(nat, number(5)))));
    const made = call(c('Quot.mk', 1), nat, always, number(2));
    const lifted = call(c('Quot.lift', 1, 1), nat, always, nat, constant, respects, made);
    expect(build.prove('t', equal(nat, lifted, number(5)), refl(nat, number(5)))).toEqual(accepted);
    expect(build.prove('bad', equal(nat, lifted, number(2)), refl(nat, number(2))).kind).toBe('rejected');
  });

  it('are refused with another type, and lift without equality', () => {
    const build = withPrelude(new Build());
    expect(add(build, 'type', TYPES.ctor[1])).toMatchObject({ kind: 'rejected' });
    expect(add(build, 'type')).toEqual(accepted);
    // Forgets that the function respects the relation.
    const unsound = pi(
      'α',
      sort('u'),
      pi('r', relation(v('α')), pi('β', sort('v'), arrow(arrow(v('α'), v('β')), arrow(quot(v('α'), v('r')), v('β'))))),
    );
    expect(add(build, 'lift', unsound)).toMatchObject({ kind: 'rejected', rule: 'quotient' });
    const bare = new Build();
    expect(add(bare, 'type')).toEqual(accepted);
    expect(add(bare, 'lift')).toMatchObject({ kind: 'rejected' });
    const faked = new Build();
    faked.axiom('Eq', pi('α', sort('u'), arrow(v('α'), arrow(v('α'), prop))), ['u']);
    expect(add(faked, 'type')).toEqual(accepted);
    expect(add(faked, 'lift')).toMatchObject({ kind: 'rejected', rule: 'quotient' });
  });

  it('do not compute when their constructor is somebody else', () => {
    const build = withPrelude(new Build());
    expect(add(build, 'type')).toEqual(accepted);
    build.axiom('Quot.mk', TYPES.ctor[1], ['u']);
    expect(add(build, 'lift')).toEqual(accepted);
    expect(add(build, 'ctor')).toMatchObject({ kind: 'rejected', rule: 'name' });
    expect(add(build, 'ind')).toMatchObject({ kind: 'rejected', rule: 'quotient' });
  });
});
