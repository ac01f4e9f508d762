/**
 * Names that are taken although nothing stands there: what a trusted library has and this kernel cannot use, what was declined, what
 * would change the meaning of literals. A judged module must not get them.
 */
import { describe, expect, it } from 'vitest';
import type { Declaration } from './declaration.ts';
import { UNREAD_VALUE } from './environment.ts';
import { Terms } from './expr.ts';
import type { TrustedSource } from './kernel.ts';
import type { Name } from './name.ts';
import { arrow, Build, c, call, fn, prop, type, type Word } from './testing/build.ts';

/** A library whose inductive type `T` mentions a constant that the library comes without, and a theorem `T → False`. */
function library(terms: Terms): TrustedSource {
  const build = new Build({}, terms);
  const declarations: Declaration[] = [
    build.inductiveDeclaration([{ name: 'False', type: prop, constructors: [] }], 0, [], []),
    build.inductiveDeclaration([{ name: 'T', type, constructors: [['T.mk', arrow(c('Hidden'), c('T'))]] }], 0, [], []),
    {
      kind: 'theorem',
      name: build.name('T.elim'),
      levelParams: [],
      type: build.term(arrow(c('T'), c('False'))),
      value: UNREAD_VALUE,
    },
  ];
  const known = new Map<Name, Declaration>();
  for (const declaration of declarations)
    for (const { name } of declaration.kind === 'inductive'
      ? [...declaration.types, ...declaration.constructors]
      : [declaration])
      known.set(name, declaration);
  return {
    has: (name) => known.has(name),
    read: (name) => known.get(name) ?? null,
    proof: () => {
      throw new Error('no proof is asked for');
    },
  };
}

const over = (): Build => {
  const terms = new Terms();
  return new Build({ trusted: library(terms) }, terms);
};
const uses = (build: Build, name: string, its: Word = c('T')): string =>
  build.define(name, arrow(its, prop), fn('_', its, prop)).kind;

describe('a constant of the library that cannot be used', () => {
  it('leaves its name taken, before and after it was asked for, and after the module is forgotten', () => {
    for (const isAsked of [false, true]) {
      const build = over();
      if (isAsked) expect(uses(build, 'use')).toBe('declined');
      expect(build.inductive([{ name: 'T', type, constructors: [['T.mk', c('T')]] }])).toMatchObject({ rule: 'name' });
      expect(build.define('T.mk', type, prop)).toMatchObject({ rule: 'name' });
      expect(build.axiom('T', type)).toMatchObject({ rule: 'name' });
      expect(build.prove('bad', c('False'), call(c('T.elim'), c('T.mk'))).kind).not.toBe('accepted');
      build.kernel.dropAdded();
      expect(uses(build, 'again')).toBe('declined');
    }
  });

  it('has one verdict, whichever part of it is asked for first', () => {
    const build = over();
    expect(build.define('first', type, c('T.mk')).kind).toBe('declined');
    expect(uses(build, 'second')).toBe('declined');
    build.kernel.dropAdded();
    expect(build.define('third', type, c('T.mk')).kind).toBe('declined');
  });
});

it('a declaration without a verdict leaves its name taken', () => {
  const build = new Build();
  const unsafe = { kind: 'axiom', levelParams: [], type: build.term(prop), isUnsafe: true } as const;
  expect(build.kernel.add({ ...unsafe, name: build.name('x') }).kind).toBe('declined');
  expect(build.axiom('x', prop)).toMatchObject({ rule: 'name' });
});
