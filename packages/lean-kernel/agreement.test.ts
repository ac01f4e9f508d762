/**
 * The kernel's caches and its arithmetic with big integers change the time of a verdict and never the verdict: real
 * declarations, true and damaged, with each switched off. About 10 s of processor time.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from './budget.ts';
import type { Declaration } from './declaration.ts';
import { Terms } from './expr.ts';
import { Kernel, type KernelOptions } from './kernel.ts';
import { readExport } from './read/export-file.ts';
import { arrow, Build, c, call, equal, fn, number, refl, v, type Word, withPrelude } from './testing/build.ts';

const WITHOUT: readonly [string, KernelOptions][] = [
  ['memory', { remembers: false }],
  ['acceleration', { accelerates: false }],
  ['both', { remembers: false, accelerates: false }],
];
const EXPORT = join(import.meta.dirname, 'testing/exports/lex-prelude.ndjson.gz');

const terms = new Terms();
const declarations: Declaration[] = [];
for await (const declaration of readExport(terms, EXPORT)) declarations.push(declaration);
const theorems = declarations.filter((declaration) => declaration.kind === 'theorem');

describe.each(WITHOUT)('without %s', (_, options) => {
  it('the same declarations are accepted', () => {
    const kernel = new Kernel(terms, options);
    for (const declaration of declarations) expect(kernel.add(declaration)).toEqual({ kind: 'accepted' });
  });

  it('a theorem with the value of another has the same verdict', () => {
    const [plain, other] = [new Kernel(terms), new Kernel(terms, options)];
    for (const kernel of [plain, other]) for (const declaration of declarations) kernel.trust(declaration);
    const fresh = terms.names.of('swapped');
    fc.assert(
      fc.property(fc.nat(theorems.length - 1), fc.nat(theorems.length - 1), (at, from) => {
        const swapped: Declaration = {
          ...theorems[at]!,
          name: fresh,
          levelParams: theorems[from]!.levelParams,
          value: theorems[from]!.value,
        };
        const verdict = plain.add({ ...swapped });
        expect(other.add({ ...swapped }).kind).toBe(verdict.kind);
      }),
      { numRuns: 60, seed: 22 },
    );
  });

  it('sums, products and powers of small numbers are what they are', () => {
    const nat = c('Nat');
    const withArithmetic = (its: KernelOptions): Build => arithmetic(new Build(its));
    const [plain, other] = [withArithmetic({}), withArithmetic(options)];
    let at = 0;
    fc.assert(
      fc.property(
        fc.constantFrom('Nat.add', 'Nat.mul', 'Nat.sub', 'Nat.pow', 'Nat.beq', 'Nat.ble'),
        fc.nat(5),
        fc.nat(3),
        fc.nat(12),
        (operation, left, right, result) => {
          const isTest = operation === 'Nat.beq' || operation === 'Nat.ble';
          const its = isTest ? c('Bool') : nat;
          const value: Word = isTest ? c(result % 2 === 0 ? 'Bool.true' : 'Bool.false') : number(result);
          const statement = equal(its, call(c(operation), number(left), number(right)), value);
          const name = `t${at++}`;
          const verdicts = [plain, other].map((build) => build.prove(name, statement, refl(its, value)).kind);
          expect(verdicts[1]).toBe(verdicts[0]);
        },
      ),
      { numRuns: 150, seed: 23 },
    );
  });
});

/** Numbers with their operations as recursors. */
function arithmetic(bare: Build): Build {
  const build = withPrelude(bare);
  const nat = c('Nat');
  const binary = (name: string, its: Word, value: Word): void => {
    const verdict = build.define(name, its, value);
    if (verdict.kind !== 'accepted') throw new Error(JSON.stringify(verdict));
  };
  /** Defines an operation by recursion on the second number. */
  const recursive = (onZero: Word, onSuccessor: Word): Word =>
    fn(
      'x',
      nat,
      fn('y', nat, call(c('Nat.rec', 1), fn('_', nat, nat), onZero, fn('n', nat, fn('ih', nat, onSuccessor)), v('y'))),
    );
  const two = arrow(nat, arrow(nat, nat));
  binary('Nat.add', two, recursive(v('x'), call(c('Nat.succ'), v('ih'))));
  binary(
    'Nat.pred',
    arrow(nat, nat),
    fn('x', nat, call(c('Nat.rec', 1), fn('_', nat, nat), number(0), fn('n', nat, fn('_', nat, v('n'))), v('x'))),
  );
  binary('Nat.sub', two, recursive(v('x'), call(c('Nat.pred'), v('ih'))));
  binary('Nat.mul', two, recursive(number(0), call(c('Nat.add'), v('ih'), v('x'))));
  binary('Nat.pow', two, recursive(number(1), call(c('Nat.mul'), v('ih'), v('x'))));
  const bool = c('Bool');
  const test = arrow(nat, arrow(nat, bool));
  /**
   * Defines a comparison by recursion on both numbers, by its values for zero and successor against zero and successor.
   */
  const compare = (zeroZero: Word, zeroSuccessor: Word): Word =>
    call(
      c('Nat.rec', 1),
      fn('_', nat, arrow(nat, bool)),
      fn(
        'y',
        nat,
        call(c('Nat.rec', 1), fn('_', nat, bool), zeroZero, fn('_', nat, fn('_', bool, zeroSuccessor)), v('y')),
      ),
      fn(
        '_',
        nat,
        fn(
          'ih',
          arrow(nat, bool),
          fn(
            'y',
            nat,
            call(
              c('Nat.rec', 1),
              fn('_', nat, bool),
              c('Bool.false'),
              fn('n', nat, fn('_', bool, call(v('ih'), v('n')))),
              v('y'),
            ),
          ),
        ),
      ),
    );
  const applied = (comparison: Word): Word => fn('a', nat, call(comparison, v('a')));
  binary('Nat.beq', test, applied(compare(c('Bool.true'), c('Bool.false'))));
  binary('Nat.ble', test, applied(compare(c('Bool.true'), c('Bool.true'))));
  return build;
}

describe('large numbers', () => {
  it('are computed at once where that is allowed', () => {
    const nat = c('Nat');
    const limits = { ...DEFAULT_LIMITS, fuel: 1_000_000 };
    const value = number(3n ** 500n);
    const statement = equal(nat, call(c('Nat.pow'), number(3), number(500)), value);
    expect(arithmetic(new Build({ limits })).prove('t', statement, refl(nat, value)).kind).toBe('accepted');
    expect(arithmetic(new Build({ limits, accelerates: false })).prove('t', statement, refl(nat, value)).kind).toBe(
      'declined',
    );
  });

  it('beyond what is computed are declined, not waited for', () => {
    const nat = c('Nat');
    const huge = call(c('Nat.pow'), number(2), call(c('Nat.pow'), number(2), number(40)));
    const build = arithmetic(new Build({ limits: { ...DEFAULT_LIMITS, fuel: 1_000_000 } }));
    expect(build.prove('t', equal(nat, huge, number(1)), refl(nat, huge)).kind).toBe('declined');
  });
});

describe('operations with the names of arithmetic that are something else', () => {
  it('are not computed', () => {
    const build = withPrelude(new Build());
    const nat = c('Nat');
    build.define('Nat.add', arrow(nat, arrow(nat, nat)), fn('x', nat, fn('y', nat, v('x'))));
    const sum = call(c('Nat.add'), number(2), number(2));
    expect(build.prove('wrong', equal(nat, sum, number(4)), refl(nat, number(4))).kind).toBe('rejected');
    expect(build.prove('right', equal(nat, sum, number(2)), refl(nat, number(2))).kind).toBe('accepted');
  });
});
