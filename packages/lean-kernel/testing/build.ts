/**
 * Builds terms and declarations by hand: binders with names, constants by their dotted names, levels as text. A term is
 * a function of the enclosing binders, so that variables are written by name.
 *
 *     const { pi, fn, call, v } = words;
 *     pi('α', sort(1), pi('a', v('α'), v('α')))
 */
import type { Declaration, RecursorRecord } from '../declaration.ts';
import { type Expr, Terms } from '../expr.ts';
import { Kernel, type KernelOptions } from '../kernel.ts';
import type { Level } from '../level.ts';
import type { Verdict } from '../verdict.ts';

/** A level: a number, a parameter's name, or a function of the tables. */
export type LevelWord = number | string | ((build: Build) => Level);
/** A term under binders with these names, innermost last. */
export type Word = (build: Build, scope: readonly string[]) => Expr;

export const successor =
  (level: LevelWord): LevelWord =>
  (build) =>
    build.terms.levels.successor(build.level(level));
export const maximum =
  (left: LevelWord, right: LevelWord): LevelWord =>
  (build) =>
    build.terms.levels.maximum(build.level(left), build.level(right));
export const impredicative =
  (left: LevelWord, right: LevelWord): LevelWord =>
  (build) =>
    build.terms.levels.impredicativeMaximum(build.level(left), build.level(right));

export const sort =
  (level: LevelWord): Word =>
  (build) =>
    build.terms.sort(build.level(level));
export const prop = sort(0);
export const type = sort(1);
export const c =
  (name: string, ...levels: LevelWord[]): Word =>
  (build) =>
    build.terms.constant(build.name(name), build.terms.levels.list(levels.map((level) => build.level(level))));
export const v =
  (name: string): Word =>
  (build, scope) => {
    const at = scope.lastIndexOf(name);
    if (at < 0) throw new Error(`no variable ${name} in scope`);
    return build.terms.bound(scope.length - 1 - at);
  };
export const call =
  (head: Word, ...given: Word[]): Word =>
  (build, scope) =>
    given.reduce((made, argument) => build.terms.application(made, argument(build, scope)), head(build, scope));
export const pi =
  (name: string, domain: Word, body: Word): Word =>
  (build, scope) =>
    build.terms.forall(domain(build, scope), body(build, [...scope, name]));
export const arrow = (domain: Word, body: Word): Word => pi('_', domain, body);
export const fn =
  (name: string, domain: Word, body: Word): Word =>
  (build, scope) =>
    build.terms.lambda(domain(build, scope), body(build, [...scope, name]));
export const local =
  (name: string, its: Word, value: Word, body: Word): Word =>
  (build, scope) =>
    build.terms.let(its(build, scope), value(build, scope), body(build, [...scope, name]));
export const projection =
  (structure: string, index: number, value: Word): Word =>
  (build, scope) =>
    build.terms.projection(build.name(structure), index, value(build, scope));
export const number =
  (value: bigint | number): Word =>
  (build) =>
    build.terms.natural(BigInt(value));
export const text =
  (value: string): Word =>
  (build) =>
    build.terms.string(value);
/** A bound variable by its index, possibly without a binder. */
export const raw =
  (index: number): Word =>
  (build) =>
    build.terms.bound(index);

export interface TypeWords {
  readonly name: string;
  readonly type: Word;
  readonly constructors: readonly (readonly [name: string, type: Word])[];
  readonly indices?: number;
}

/** Tables, a kernel, and functions that declare one constant at a time. */
export class Build {
  readonly terms: Terms;
  readonly kernel: Kernel;

  constructor(options: KernelOptions = {}, terms = new Terms()) {
    this.terms = terms;
    this.kernel = new Kernel(this.terms, options);
  }

  name(dotted: string) {
    return this.terms.names.of(dotted);
  }

  level(word: LevelWord): Level {
    const { levels } = this.terms;
    if (typeof word === 'function') return word(this);
    if (typeof word === 'string') return levels.parameter(this.name(word));
    return word === 0 ? levels.zero : levels.successor(this.level(word - 1));
  }

  term(word: Word): Expr {
    return word(this, []);
  }

  axiom(name: string, its: Word, levelParams: readonly string[] = []): Verdict {
    return this.kernel.add({ kind: 'axiom', ...this.#head(name, its, levelParams), isUnsafe: false });
  }

  define(name: string, its: Word, value: Word, levelParams: readonly string[] = []): Verdict {
    return this.kernel.add({
      kind: 'definition',
      ...this.#head(name, its, levelParams),
      value: this.term(value),
      hint: { regular: 1 },
      safety: 'safe',
    });
  }

  prove(name: string, its: Word, value: Word, levelParams: readonly string[] = []): Verdict {
    return this.kernel.add({ kind: 'theorem', ...this.#head(name, its, levelParams), value: this.term(value) });
  }

  inductive(
    types: readonly TypeWords[],
    parameters = 0,
    levelParams: readonly string[] = [],
    recursors: readonly RecursorRecord[] = [],
  ): Verdict {
    return this.kernel.add(this.inductiveDeclaration(types, parameters, levelParams, recursors));
  }

  inductiveDeclaration(
    types: readonly TypeWords[],
    parameters: number,
    levelParams: readonly string[],
    recursors: readonly RecursorRecord[],
  ): Declaration {
    return {
      kind: 'inductive',
      isUnsafe: false,
      types: types.map(({ name, type: its, constructors, indices = 0 }) => ({
        ...this.#head(name, its, levelParams),
        parameters,
        indices,
        constructors: constructors.map(([of]) => this.name(of)),
      })),
      constructors: types.flatMap(({ name, constructors }) =>
        constructors.map(([of, its], index) => {
          const head = this.#head(of, its, levelParams);
          return {
            ...head,
            inductive: this.name(name),
            index,
            parameters,
            fields: this.#binders(head.type) - parameters,
          };
        }),
      ),
      recursors,
    };
  }

  #head(name: string, its: Word, levelParams: readonly string[]) {
    return { name: this.name(name), levelParams: levelParams.map((of) => this.name(of)), type: this.term(its) };
  }

  #binders(expr: Expr): number {
    let count = 0;
    for (let rest = expr; this.terms.kind(rest) === this.terms.kind(this.term(arrow(prop, prop))); count++)
      rest = this.terms.body(rest);
    return count;
  }
}

/** Declares `Bool`, `Nat` with zero and successor, `Eq`, `False`, `True`, `And` and `Unit` as Lean does. */
export function withPrelude(build: Build): Build {
  const nat = c('Nat');
  const steps: Verdict[] = [
    build.inductive([{ name: 'False', type: prop, constructors: [] }]),
    build.inductive([{ name: 'True', type: prop, constructors: [['True.intro', c('True')]] }]),
    build.inductive([
      {
        name: 'Bool',
        type,
        constructors: [
          ['Bool.false', c('Bool')],
          ['Bool.true', c('Bool')],
        ],
      },
    ]),
    build.inductive([{ name: 'Unit', type, constructors: [['Unit.unit', c('Unit')]] }]),
    build.inductive([
      {
        name: 'Nat',
        type,
        constructors: [
          ['Nat.zero', nat],
          ['Nat.succ', arrow(nat, nat)],
        ],
      },
    ]),
    build.inductive(
      [
        {
          name: 'Eq',
          type: pi('α', sort('u'), arrow(v('α'), arrow(v('α'), prop))),
          constructors: [['Eq.refl', pi('α', sort('u'), pi('a', v('α'), call(c('Eq', 'u'), v('α'), v('a'), v('a'))))]],
          indices: 1,
        },
      ],
      2,
      ['u'],
    ),
    build.inductive(
      [
        {
          name: 'And',
          type: arrow(prop, arrow(prop, prop)),
          constructors: [
            ['And.intro', pi('a', prop, pi('b', prop, arrow(v('a'), arrow(v('b'), call(c('And'), v('a'), v('b'))))))],
          ],
        },
      ],
      2,
    ),
  ];
  const bad = steps.find((verdict) => verdict.kind !== 'accepted');
  if (bad !== undefined) throw new Error(JSON.stringify(bad));
  return build;
}

export const equal = (its: Word, left: Word, right: Word, level: LevelWord = 1): Word =>
  call(c('Eq', level), its, left, right);
export const refl = (its: Word, value: Word, level: LevelWord = 1): Word => call(c('Eq.refl', level), its, value);
