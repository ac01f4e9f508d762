/**
 * Tests names that are taken although no usable constant has them: constants of a trusted library that this kernel
 * cannot use, declined constants, and names that would change the meaning of literals. A judged module must not define
 * them.
 */
import { describe, expect, it } from 'vitest';
import type { Declaration } from './declaration.ts';
import { UNREAD_VALUE } from './environment.ts';
import { Terms } from './expr.ts';
import type { TrustedSource } from './kernel.ts';
import type { Name } from './name.ts';
import { arrow, Build, c, call, fn, pi, prop, type, v, type Word } from './testing/build.ts';

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

describe('a name that the library mentions and lacks', () => {
  const nat = c('N');
  /** The theorem `go = other` about a constant `go` that is private to the library, and a definition that unfolds to it. */
  const source = (terms: Terms): TrustedSource => {
    const build = new Build({}, terms);
    const statement = pi('P', arrow(nat, prop), arrow(call(v('P'), c('go')), call(v('P'), c('other'))));
    const head = (name: string, its: Word) => ({ name: build.name(name), levelParams: [], type: build.term(its) });
    const declarations: Declaration[] = [
      { kind: 'axiom', ...head('N', type), isUnsafe: false },
      { kind: 'axiom', ...head('other', nat), isUnsafe: false },
      { kind: 'theorem', ...head('go_eq', statement), value: UNREAD_VALUE },
      { kind: 'definition', ...head('start', nat), value: build.term(c('go')), hint: 'abbrev', safety: 'safe' },
    ];
    const known = new Map(declarations.map((its) => [(its as { name: Name }).name, its]));
    return {
      has: (name) => known.has(name),
      read: (name) => known.get(name) ?? null,
      proof: () => build.term(c('go')),
    };
  };
  const withSource = (): Build => {
    const terms = new Terms();
    return new Build({ trusted: source(terms) }, terms);
  };
  const leibniz = (left: Word, right: Word): Word =>
    pi('P', arrow(nat, prop), arrow(call(v('P'), left), call(v('P'), right)));

  it('is nobody’s where the library was asked first', () => {
    const build = withSource();
    expect(build.define('use', nat, c('start'))).toMatchObject({ kind: 'accepted' });
    expect(build.axiom('go', nat)).toMatchObject({ kind: 'rejected', rule: 'name' });
  });

  it('gives nothing of the library to a module that declared it first, and taints the kernel', () => {
    for (const used of ['go_eq', 'start']) {
      const build = withSource();
      expect(build.define('go', nat, c('other'))).toMatchObject({ kind: 'accepted' });
      const its = used === 'start' ? leibniz(c('start'), c('other')) : leibniz(c('go'), c('other'));
      const proof =
        used === 'start' ? fn('P', arrow(nat, prop), fn('x', call(v('P'), c('other')), v('x'))) : c('go_eq');
      expect(build.prove('t', its, proof).kind).toBe('declined');
      expect(build.kernel.isTainted).toBe(true);
    }
    expect(withSource().kernel.isTainted).toBe(false);
  });
});

it('a declined inductive type leaves the name of its recursor taken', () => {
  const build = new Build();
  const declaration = build.inductiveDeclaration([{ name: 'T', type, constructors: [['T.mk', c('T')]] }], 0, [], []);
  expect(build.kernel.add({ ...declaration, isUnsafe: true } as Declaration).kind).toBe('declined');
  for (const name of ['T', 'T.mk', 'T.rec']) expect(build.axiom(name, prop)).toMatchObject({ rule: 'name' });
});

it('a declaration without a verdict leaves its name taken', () => {
  const build = new Build();
  const unsafe = { kind: 'axiom', levelParams: [], type: build.term(prop), isUnsafe: true } as const;
  expect(build.kernel.add({ ...unsafe, name: build.name('x') }).kind).toBe('declined');
  expect(build.axiom('x', prop)).toMatchObject({ rule: 'name' });
});
