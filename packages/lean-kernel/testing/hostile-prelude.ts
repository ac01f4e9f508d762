/**
 * Hostile preludes: environments in which a constant that the kernel treats specially is defined differently. Each is
 * combined with attempts to exploit the special rule, that is, to prove `∀ p : Prop, p` without axioms.
 *
 * An attempt needs no knowledge of the fault that it would find. Values of the environment's types are compared in
 * pairs. Two values that the kernel considers equal (`∀ P, P a → P b` by identity), and that a recursor maps to a true
 * and to a false proposition, prove everything. So does a value of an empty type, or a value that can be cast to
 * another type.
 */
import { Budget, DEFAULT_LIMITS } from '../budget.ts';
import { CONSTANT, type Expr, FORALL } from '../expr.ts';
import { apply as applied, argumentsOf, headOf } from '../spine.ts';
import { Substitution } from '../substitution.ts';
import {
  arrow,
  Build,
  c,
  call,
  fn,
  type LevelWord,
  number,
  pi,
  projection,
  prop,
  sort,
  successor,
  text,
  type,
  v,
  type Word,
} from './build.ts';
import type { Random } from './mutate.ts';

export const falsity = pi('p', prop, v('p'));
const truth = pi('p', prop, arrow(v('p'), v('p')));
const truthProof = fn('p', prop, fn('h', v('p'), v('h')));
const nat = c('Nat');
const bool = c('Bool');
const chars = call(c('List', 0), c('Char'));

/** One special constant as Lean declares it. */
interface Special {
  readonly name: string;
  readonly type: Word;
  readonly levelParams?: readonly string[];
  readonly declare: (build: Build) => void;
}

const sortU = sort(successor('u'));
const listOf = (its: Word): Word => call(c('List', 'u'), its);
const binary = (result: Word): Word => arrow(nat, arrow(nat, result));
const natRec = (result: Word, onZero: Word, onNext: Word, of: Word): Word =>
  call(c('Nat.rec', 1), fn('_', nat, result), onZero, fn('n', nat, fn('ih', result, onNext)), of);
const operation = (name: string, onZero: Word, onNext: Word): Special => ({
  name,
  type: binary(nat),
  declare: (build) =>
    void build.define(name, binary(nat), fn('x', nat, fn('y', nat, natRec(nat, onZero, onNext, v('y'))))),
});
const annotation = (name: string, count: number): Special => {
  const its = count === 1 ? arrow(sort('u'), sort('u')) : pi('α', sort('u'), arrow(v('α'), sort('u')));
  const value = count === 1 ? fn('α', sort('u'), v('α')) : fn('α', sort('u'), fn('_', v('α'), v('α')));
  return { name, type: its, levelParams: ['u'], declare: (build) => void build.define(name, its, value, ['u']) };
};

/** In an order in which each finds the constants that it needs. */
const SPECIALS: readonly Special[] = [
  {
    name: 'False',
    type: prop,
    declare: (build) => void build.inductive([{ name: 'False', type: prop, constructors: [] }]),
  },
  {
    name: 'Bool',
    type,
    declare: (build) =>
      void build.inductive([
        {
          name: 'Bool',
          type,
          constructors: [
            ['Bool.false', bool],
            ['Bool.true', bool],
          ],
        },
      ]),
  },
  {
    name: 'Nat',
    type,
    declare: (build) =>
      void build.inductive([
        {
          name: 'Nat',
          type,
          constructors: [
            ['Nat.zero', nat],
            ['Nat.succ', arrow(nat, nat)],
          ],
        },
      ]),
  },
  {
    name: 'Eq',
    type: pi('α', sort('u'), arrow(v('α'), arrow(v('α'), prop))),
    levelParams: ['u'],
    declare: (build) =>
      void build.inductive(
        [
          {
            name: 'Eq',
            type: pi('α', sort('u'), arrow(v('α'), arrow(v('α'), prop))),
            constructors: [
              ['Eq.refl', pi('α', sort('u'), pi('a', v('α'), call(c('Eq', 'u'), v('α'), v('a'), v('a'))))],
            ],
            indices: 1,
          },
        ],
        2,
        ['u'],
      ),
  },
  {
    name: 'List',
    type: arrow(sortU, sortU),
    levelParams: ['u'],
    declare: (build) =>
      void build.inductive(
        [
          {
            name: 'List',
            type: arrow(sortU, sortU),
            constructors: [
              ['List.nil', pi('α', sortU, listOf(v('α')))],
              ['List.cons', pi('α', sortU, arrow(v('α'), arrow(listOf(v('α')), listOf(v('α')))))],
            ],
          },
        ],
        1,
        ['u'],
      ),
  },
  { name: 'Char', type, declare: (build) => void build.define('Char', type, nat) },
  {
    name: 'Char.ofNat',
    type: arrow(nat, c('Char')),
    declare: (build) => void build.define('Char.ofNat', arrow(nat, c('Char')), fn('n', nat, v('n'))),
  },
  {
    name: 'String',
    type,
    declare: (build) =>
      void build.inductive([{ name: 'String', type, constructors: [['String.mk', arrow(chars, c('String'))]] }]),
  },
  {
    name: 'String.ofList',
    type: arrow(chars, c('String')),
    declare: (build) =>
      void build.define('String.ofList', arrow(chars, c('String')), fn('l', chars, call(c('String.mk'), v('l')))),
  },
  operation('Nat.add', v('x'), call(c('Nat.succ'), v('ih'))),
  {
    name: 'Nat.pred',
    type: arrow(nat, nat),
    declare: (build) =>
      void build.define('Nat.pred', arrow(nat, nat), fn('x', nat, natRec(nat, c('Nat.zero'), v('n'), v('x')))),
  },
  operation('Nat.sub', v('x'), call(c('Nat.pred'), v('ih'))),
  operation('Nat.mul', c('Nat.zero'), call(c('Nat.add'), v('ih'), v('x'))),
  operation('Nat.pow', call(c('Nat.succ'), c('Nat.zero')), call(c('Nat.mul'), v('ih'), v('x'))),
  {
    name: 'Nat.beq',
    type: binary(bool),
    declare: (build) => void build.define('Nat.beq', binary(bool), comparison(c('Bool.false'))),
  },
  {
    name: 'Nat.ble',
    type: binary(bool),
    declare: (build) => void build.define('Nat.ble', binary(bool), comparison(c('Bool.true'))),
  },
  ...['Nat.gcd', 'Nat.land', 'Nat.div', 'Nat.shiftLeft'].map(
    (name): Special => ({
      name,
      type: binary(nat),
      declare: (build) => void build.define(name, binary(nat), fn('x', nat, fn('y', nat, v('x')))),
    }),
  ),
  annotation('outParam', 1),
  annotation('semiOutParam', 1),
  annotation('optParam', 2),
  annotation('autoParam', 2),
];

/** Defines a comparison by recursion on both numbers; `below` is its value for zero and a successor. */
function comparison(below: Word): Word {
  const inner = (onZero: Word, onNext: Word): Word => fn('y', nat, natRec(bool, onZero, onNext, v('y')));
  return fn(
    'a',
    nat,
    call(
      c('Nat.rec', 1),
      fn('_', nat, arrow(nat, bool)),
      inner(c('Bool.true'), below),
      fn('_', nat, fn('f', arrow(nat, bool), inner(c('Bool.false'), call(v('f'), v('n'))))),
      v('a'),
    ),
  );
}

/** Constants that come with another one. They can be defined differently if that one is absent. */
const PARTS: readonly (readonly [owner: string, part: string, type: Word])[] = [
  ['Bool', 'Bool.true', bool],
  ['Bool', 'Bool.false', bool],
  ['Nat', 'Nat.zero', nat],
  ['Nat', 'Nat.succ', arrow(nat, nat)],
  ['Eq', 'Eq.refl', arrow(nat, prop)],
  ['List', 'List.nil', chars],
  ['List', 'List.cons', arrow(nat, arrow(chars, chars))],
  ['String', 'String.mk', arrow(chars, c('String'))],
  ['String', 'String.mk', arrow(chars, c('String'))],
  ['Nat', 'Nat.rec', arrow(nat, nat)],
  ['Eq', 'Quot', type],
];

/** Returns values that a constant does not have in Lean, by their type in Lean. */
function otherValues(name: string): readonly (readonly [type: Word, value: Word])[] {
  if (name.endsWith('Param')) {
    const [one, two] = [arrow(type, type), arrow(type, arrow(type, type))];
    return [
      [one, fn('x', type, c('Unit'))],
      [one, fn('x', type, nat)],
      [one, fn('x', type, c('Empty'))],
      [two, fn('x', type, fn('y', type, v('y')))],
      [two, fn('x', type, fn('y', type, c('Unit')))],
    ];
  }
  if (name === 'Nat.beq' || name === 'Nat.ble')
    return [c('Bool.true'), c('Bool.false')].map((its) => [binary(bool), fn('x', nat, fn('y', nat, its))]);
  if (name.startsWith('Nat.'))
    return [v('x'), v('y'), number(0), number(1), call(c('Nat.succ'), v('x'))].map((its) => [
      binary(nat),
      fn('x', nat, fn('y', nat, its)),
    ]);
  if (name === 'Char.ofNat') return [[arrow(nat, c('Char')), fn('n', nat, number(1))]];
  const empty = call(c('List.nil', 0), c('Char'));
  if (name === 'String.ofList')
    return [empty, call(c('List.cons', 0), c('Char'), number(1), v('l'))].map((its) => [
      arrow(chars, c('String')),
      fn('l', chars, call(c('String.mk'), its)),
    ]);
  return [c('Empty'), c('Unit'), nat, bool, chars].map((its) => [type, its]);
}

/**
 * A proposition that depends on a universe: all values of each type of the universe are equal. It holds for proofs and
 * for no higher universe. Code that ignores the universe of a constant would confuse the two.
 */
const ALL_EQUAL = pi(
  'α',
  sort('u'),
  pi('a', v('α'), pi('b', v('α'), pi('P', arrow(v('α'), prop), arrow(call(v('P'), v('a')), call(v('P'), v('b')))))),
);
const PROOFS_ARE_EQUAL = fn(
  'α',
  prop,
  fn('a', v('α'), fn('b', v('α'), fn('P', arrow(v('α'), prop), fn('x', call(v('P'), v('a')), v('x'))))),
);

const VARIANTS = [
  'absent',
  'all equal',
  'axiom',
  'definition of another type',
  'another value',
  'empty type',
  'wrapper',
  'proposition',
  'family',
  'polymorphic',
  'later',
  'twice',
] as const;
type Variant = (typeof VARIANTS)[number];

/**
 * Most often another value with the expected type, which passes most checks, or a late declaration, which changes a
 * meaning.
 */
function anyVariant(random: Random): Variant {
  const chosen = random.below(3);
  if (chosen === 0) return 'another value';
  return chosen === 1 && random.below(2) === 0 ? 'later' : VARIANTS[random.below(VARIANTS.length)]!;
}

/**
 * Declares another constant under the name. If that is impossible, nothing is declared; the verdict does not matter.
 */
function declareOther(build: Build, special: Special, variant: Variant, random: Random): void {
  const { name, levelParams = [] } = special;
  const own = c(name, ...levelParams);
  switch (variant) {
    case 'axiom':
      build.axiom(name, special.type, levelParams);
      return;
    case 'definition of another type':
      build.define(name, type, c(random.below(2) === 0 ? 'Empty' : 'Unit'));
      return;
    case 'another value': {
      const values = otherValues(name);
      const [its, value] = values[random.below(values.length)]!;
      build.define(name, its, value);
      return;
    }
    case 'all equal':
      build.define(name, arrow(prop, prop), fn('_', prop, ALL_EQUAL), ['u']);
      return;
    case 'empty type':
      build.inductive([{ name, type, constructors: [] }]);
      return;
    case 'wrapper': {
      const inner = [nat, bool, c('Empty'), c('Unit'), prop][random.below(5)]!;
      build.inductive([
        { name, type: sort(random.below(2) + 1), constructors: [[`${name}.mk`, arrow(inner, c(name))]] },
      ]);
      return;
    }
    case 'proposition':
      build.inductive([{ name, type: prop, constructors: [[`${name}.mk`, arrow(bool, c(name))]] }]);
      return;
    case 'family': {
      // A type that has values at one universe and none at another must be distinguished by its levels.
      const family = arrow(prop, sort(successor('u')));
      const its = pi('p', prop, arrow(v('p'), call(c(name, 'u'), v('p'))));
      build.inductive([{ name, type: family, constructors: [[`${name}.mk`, its]] }], 1, ['u']);
      return;
    }
    case 'polymorphic': {
      const universe = sort(successor('u'));
      if (random.below(2) === 0) build.define(name, arrow(universe, universe), fn('α', universe, v('α')), ['u']);
      else {
        const zero = ['z', own] as const;
        build.inductive(
          [
            {
              name,
              type: sort(successor('w')),
              constructors: [
                [`${name}.${zero[0]}`, c(name, 'w')],
                [`${name}.s`, arrow(c(name, 'w'), c(name, 'w'))],
              ],
            },
          ],
          0,
          ['w'],
        );
      }
      return;
    }
    case 'twice':
      special.declare(build);
      declareOther(build, special, 'wrapper', random);
      return;
    default:
  }
}

export interface Hostile {
  readonly build: Build;
  /** Constants that are defined differently. */
  readonly changed: readonly string[];
  /** Names of accepted theorems of `∀ p : Prop, p` without axioms. */
  readonly proofs: readonly string[];
  /** Number of accepted attempts of any kind, such as comparisons that hold and casts without effect. */
  readonly accepted: number;
  readonly attempts: number;
}

/** Makes one environment and some attempts in it. */
export function hostile(
  random: Random,
  attempts: number,
  build = new Build({ limits: { ...DEFAULT_LIMITS, fuel: 200_000, nodes: 200_000 } }),
): Hostile {
  build.inductive([{ name: 'Empty', type, constructors: [] }]);
  build.inductive([{ name: 'Unit', type, constructors: [['Unit.unit', c('Unit')]] }]);
  const changes = new Map<string, Variant>();
  const [owner, part, partType] = PARTS[random.below(PARTS.length)]!;
  const partVariant = random.below(4) === 0 ? anyVariant(random) : null;
  if (partVariant !== null) {
    changes.set(owner, random.below(2) === 0 ? 'absent' : 'definition of another type');
    changes.set(part, partVariant);
  } else
    for (let count = 1 + random.below(2); count > 0; count--)
      changes.set(SPECIALS[random.below(SPECIALS.length)]!.name, anyVariant(random));
  const later: Special[] = [];
  for (const special of SPECIALS) {
    const variant = changes.get(special.name);
    if (variant === undefined) special.declare(build);
    else if (variant === 'later') later.push(special);
    else declareOther(build, special, variant, random);
    if (partVariant !== null && special.name === owner)
      declareOther(build, { name: part, type: partType, declare: () => {} }, partVariant, random);
  }
  declareWrappers(build);
  const attempt = new Attempts(build, random);
  for (let at = 0; at < attempts; at++) {
    if (at === attempts >> 1)
      for (const special of later)
        (random.below(2) === 0 ? special.declare : () => declareOther(build, special, 'another value', random))(build);
    attempt.make();
  }
  attempt.finish();
  return {
    build,
    changed: [...changes].map(([name, variant]) => `${name}: ${variant}`),
    proofs: attempt.proofs,
    accepted: attempt.accepted,
    attempts,
  };
}

/** Declares types with a field behind an annotation, and a function over one. */
function declareWrappers(build: Build): void {
  const contents: [string, Word][] = [
    ['W1', call(c('outParam', 1), c('Empty'))],
    ['W2', call(c('outParam'), c('Empty'))],
    ['W3', call(c('optParam', 1), c('Unit'), c('Unit.unit'))],
    ['W4', call(c('optParam'), c('Empty'), c('Unit'))],
    ['W5', call(c('autoParam'), c('Unit'), c('Empty'))],
    ['W6', call(c('semiOutParam'), c('Empty'))],
  ];
  for (const [name, its] of contents)
    build.inductive([{ name, type, constructors: [[`${name}.mk`, arrow(its, c(name))]] }]);
}

/** Mostly none, like Lean's own constants. */
const LEVELS: readonly (readonly LevelWord[])[] = [...Array.from({ length: 18 }, () => []), [0], [1]];

const KINDS = [
  'number',
  'number',
  'number',
  'truth',
  'string',
  'string',
  'list',
  'wrapped',
  'projected',
  'family',
] as const;
type Kind = (typeof KINDS)[number];
const OPERATIONS = [
  'Nat.add',
  'Nat.add',
  'Nat.sub',
  'Nat.mul',
  'Nat.pow',
  'Nat.gcd',
  'Nat.land',
  'Nat.div',
  'Nat.shiftLeft',
];

class Attempts {
  readonly proofs: string[] = [];
  accepted = 0;
  /** Theorems that state that two values are equal, with the values' type. */
  readonly #equalities: (readonly [Expr, Expr])[] = [];
  readonly #build: Build;
  readonly #random: Random;
  readonly #substitution: Substitution;
  #count = 0;

  constructor(build: Build, random: Random) {
    this.#build = build;
    this.#random = random;
    this.#substitution = new Substitution(build.terms, new Budget(DEFAULT_LIMITS));
  }

  make(): void {
    const { terms } = this.#build;
    switch (this.#random.below(6)) {
      case 5: {
        // A value of another type behind an annotation of a field.
        const value = [c('Unit.unit'), number(0), c('Bool.true')][this.#random.below(3)]!;
        const name = `W${1 + this.#random.below(6)}`;
        this.#prove(this.#refuted(this.#build.term(c(name)), this.#build.term(call(c(`${name}.mk`), value)), 3));
        return;
      }
      case 4: {
        // A proposition that holds at one universe, used where another universe makes it false.
        const names = [...SPECIALS.map(({ name }) => name), ...PARTS.map(([, part]) => part)];
        const name = names[this.#random.below(names.length)]!;
        const cast = call(fn('h', call(c(name, 1), truth), v('h')), PROOFS_ARE_EQUAL);
        const held = call(fn('h', call(c(name, 0), truth), v('h')), PROOFS_ARE_EQUAL);
        const both = call(fn('h', call(c(name, 1), truth), v('h')), held);
        for (const its of [cast, both])
          this.#prove(this.#build.term(call(its, prop, truth, falsity, fn('x', prop, v('x')), truthProof)));
        return;
      }
      case 0: {
        // A value of an empty type.
        const value = this.#build.term(this.#value(3));
        const its = this.#typeOf(value);
        if (its !== null) this.#prove(this.#refuted(its, value, 3));
        return;
      }
      case 1: {
        // A value that is cast to another type.
        const value = this.#build.term(this.#value(2));
        const from = this.#typeOf(value);
        const to = this.#build.term(this.#random.below(2) === 0 ? c('Empty') : this.#type());
        if (from === null) return;
        const cast = terms.application(terms.lambda(to, terms.bound(0)), value);
        this.#prove(this.#refuted(to, cast, 3));
        return;
      }
      default: {
        // Two equal values that can be distinguished.
        const kind = KINDS[this.#random.below(KINDS.length)]!;
        const pair = this.#random.below(2) === 0 ? this.#law() : [this.#value(2, kind), this.#value(2, kind)];
        const [left, right] = pair.map((word) => this.#build.term(word)) as [Expr, Expr];
        const its = this.#typeOf(left);
        if (its === null || left === right) return;
        const name = this.#name();
        const predicate = terms.forall(its, this.#build.term(prop));
        const at = (of: Expr): Expr => terms.application(terms.bound(0), of);
        const below = (of: Expr): Expr => terms.application(terms.bound(1), of);
        const verdict = this.#build.kernel.add({
          kind: 'theorem',
          name,
          levelParams: [],
          type: terms.forall(predicate, terms.forall(at(left), below(right))),
          value: terms.lambda(predicate, terms.lambda(at(left), terms.bound(0))),
        });
        if (verdict.kind !== 'accepted') return;
        this.accepted++;
        this.#equalities.push([terms.constant(name, terms.levels.list([])), its]);
        this.#tellApart(this.#equalities.at(-1)!);
      }
    }
  }

  /** Repeats attempts with earlier equalities: later declarations must not change their meaning. */
  finish(): void {
    for (const equality of this.#equalities) this.#tellApart(equality);
  }

  #tellApart([equal, its]: readonly [Expr, Expr]): void {
    const { terms } = this.#build;
    for (let tries = 0; tries < 6; tries++) {
      const told = terms.lambda(its, this.#told(its, terms.bound(0), 4));
      this.#prove(applied(terms, equal, [told, this.#build.term(truthProof)]));
    }
  }

  #name() {
    return this.#build.name(`attempt${this.#count++}`);
  }

  #prove(value: Expr | null): void {
    if (value === null) return;
    const name = this.#name();
    const { kernel, terms } = this.#build;
    const verdict = kernel.add({ kind: 'theorem', name, levelParams: [], type: this.#build.term(falsity), value });
    if (verdict.kind === 'accepted' && kernel.axioms.of(name).length === 0) this.proofs.push(terms.names.print(name));
  }

  /** Returns which of the types the value has, or null. */
  #typeOf(value: Expr): Expr | null {
    const types = this.#types().map((word) => this.#build.term(word));
    return this.#build.kernel.ask((checker) => {
      const its = checker.inference.check(value);
      return types.find((candidate) => candidate === its) ?? null;
    });
  }

  #types(): Word[] {
    const named = ['Nat', 'Bool', 'String', 'Char', 'Empty', 'Unit', 'W1', 'W2', 'W3', 'W4', 'W5', 'W6'].flatMap(
      (name) => (this.#build.kernel.environment.has(this.#build.name(name)) ? [c(name), c(name, 0), c(name, 1)] : []),
    );
    const families = ['Nat.succ', 'Nat.add', 'outParam', 'Char.ofNat'].flatMap((name) =>
      [0, 1, 2].map((level) => call(c(name, level), truth)),
    );
    return [...named, chars, ...families];
  }

  #type(): Word {
    const all = this.#types();
    return all[this.#random.below(all.length)]!;
  }

  #special(name: string): Word {
    return c(name, ...LEVELS[this.#random.below(LEVELS.length)]!);
  }

  /** Returns a closed term of a kind of data, which may be well typed. */
  #value(depth: number, kind = KINDS[this.#random.below(KINDS.length)]!): Word {
    const random = this.#random;
    const one = <Item>(of: readonly Item[]): Item => of[random.below(of.length)]!;
    const inner = (of: Kind): Word => this.#value(depth - 1, random.below(20) === 0 ? undefined : of);
    const small = (): Word => number(random.below(3));
    const isLeaf = depth <= 0 || random.below(3) === 0;
    switch (kind) {
      case 'number':
        if (isLeaf) return random.below(4) === 0 ? this.#special('Nat.zero') : small();
        if (random.below(2) === 0) return call(this.#special('Nat.succ'), inner('number'));
        return call(this.#special(one(OPERATIONS)), inner('number'), inner('number'));
      case 'truth':
        if (isLeaf) return c(one(['Bool.true', 'Bool.false']));
        return call(this.#special(one(['Nat.beq', 'Nat.ble'])), inner('number'), inner('number'));
      case 'string':
        if (isLeaf) return text(one(['', 'a', 'ab']));
        return call(this.#special(one(['String.mk', 'String.ofList'])), inner('list'));
      case 'list':
        if (isLeaf) return call(c('List.nil', 0), c('Char'));
        return call(c('List.cons', 0), c('Char'), call(c('Char.ofNat'), inner('number')), inner('list'));
      case 'wrapped':
        if (isLeaf) return c('Unit.unit');
        return call(c(`W${1 + random.below(6)}.mk`), inner('wrapped'));
      case 'projected':
        return projection(one(['Nat', 'String', 'Bool', 'Unit', 'W1']), random.below(2), inner('string'));
      default:
        return call(
          c(`${one(['Nat.succ', 'Nat.add', 'outParam', 'Char.ofNat'])}.mk`, random.below(2)),
          truth,
          truthProof,
        );
    }
  }

  /** Returns the two sides of a special rule: a literal and the term it stands for, or an operation and its result. */
  #law(): readonly [Word, Word] {
    const random = this.#random;
    if (random.below(2) === 0) {
      const points = [97, 98].slice(0, random.below(3));
      const list = points.reduceRight<Word>(
        (rest, point) => call(c('List.cons', 0), c('Char'), call(c('Char.ofNat'), number(point)), rest),
        call(c('List.nil', 0), c('Char')),
      );
      const made = call(c(random.below(2) === 0 ? 'String.mk' : 'String.ofList'), list);
      const literal = text(String.fromCharCode(...points));
      return random.below(2) === 0 ? [literal, made] : [made, literal];
    }
    const [x, y] = [random.below(4), random.below(4)];
    const results: readonly (readonly [string, number])[] = [
      ['Nat.add', x + y],
      ['Nat.sub', Math.max(0, x - y)],
      ['Nat.mul', x * y],
      ['Nat.pow', x ** y],
      ['Nat.div', y === 0 ? 0 : Math.floor(x / y)],
      ['Nat.gcd', x],
    ];
    const [name, result] = results[random.below(results.length)]!;
    const chain = Array.from({ length: x }).reduce<Word>((below) => call(c('Nat.succ'), below), c('Nat.zero'));
    return random.below(2) === 0 ? [number(x), chain] : [call(c(name), number(x), number(y)), number(result)];
  }

  /**
   * Eliminates a value of an inductive type: its recursor, the motive's universe, and the minor premises' types for a
   * motive.
   */
  #eliminated(
    its: Expr,
    value: Expr,
    level: 0 | 1,
    motive: Expr,
    minor: (fields: Expr[], types: Expr[]) => Expr | null,
  ): Expr | null {
    const { terms, kernel } = this.#build;
    const head = headOf(terms, its);
    if (terms.kind(head) !== CONSTANT) return null;
    const name = terms.name(head);
    const inductive = kernel.environment.find(name);
    const recursor = kernel.environment.find(terms.names.text(name, 'rec'));
    if (inductive?.kind !== 'inductive' || recursor?.kind !== 'recursor' || recursor.indices > 0) return null;
    const own = terms.levels.array(terms.levelList(head));
    const isLarge = recursor.levelParams.length > inductive.levelParams.length;
    if (!isLarge && level !== 0) return null;
    const motiveLevel = level === 0 ? terms.levels.zero : terms.levels.one;
    const levels = isLarge ? [motiveLevel, ...own] : own;
    if (levels.length !== recursor.levelParams.length) return null;
    const parameters = argumentsOf(terms, its);
    const given = [...parameters, motive];
    let rest = this.#substitution.instantiateLevels(recursor.type, recursor.levelParams, levels);
    for (let at = 0; at < given.length; at++) rest = terms.body(rest);
    let telescope = this.#substitution.instantiate(rest, given);
    for (let at = 0; at < recursor.minors; at++) {
      const made = this.#overFields(terms.binderType(telescope), minor);
      if (made === null) return null;
      given.push(made);
      telescope = this.#substitution.instantiate(terms.body(telescope), [made]);
    }
    return applied(terms, terms.constant(recursor.name, terms.levels.list(levels)), [...given, value]);
  }

  /** Returns `fun fields => …` for a minor premise's type; fields are variables of the enclosing binders. */
  #overFields(its: Expr, minor: (fields: Expr[], types: Expr[]) => Expr | null): Expr | null {
    const { terms } = this.#build;
    const domains: Expr[] = [];
    for (let rest = its; terms.kind(rest) === FORALL; rest = terms.body(rest)) domains.push(terms.binderType(rest));
    const fields = domains.map((_, at) => terms.bound(domains.length - 1 - at));
    const body = minor(fields, domains);
    return body === null ? null : domains.reduceRight((made, domain) => terms.lambda(domain, made), body);
  }

  /** Returns a proof of everything from a value of the type, if each constructor has a field that gives one. */
  #refuted(its: Expr, value: Expr, depth: number): Expr | null {
    const { terms } = this.#build;
    if (depth === 0 || terms.looseBound(its) > 0) return null;
    const motive = terms.lambda(its, this.#build.term(falsity));
    return this.#eliminated(its, value, 0, motive, (fields, types) => {
      for (const [at, field] of fields.entries()) {
        const made = this.#refuted(types[at]!, field, depth - 1);
        if (made !== null) return made;
      }
      return null;
    });
  }

  /** Returns a proposition about a value: true or false by its constructor, or by a field recursively. */
  #told(its: Expr, value: Expr, depth: number): Expr {
    const { terms } = this.#build;
    const leaf = (): Expr => this.#build.term(this.#random.below(2) === 0 ? truth : falsity);
    if (depth === 0 || terms.looseBound(its) > 0) return leaf();
    const motive = terms.lambda(its, this.#build.term(prop));
    const made = this.#eliminated(its, value, 1, motive, (fields, types) => {
      const at = this.#random.below(fields.length + 2);
      return at < fields.length ? this.#told(types[at]!, fields[at]!, depth - 1) : leaf();
    });
    return made ?? leaf();
  }
}
