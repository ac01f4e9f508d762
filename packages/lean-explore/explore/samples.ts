/** Values for testing equations, small ones first. The generator has fixed seeds, so that tests can be repeated. */
import { apply, EMPTY_LEVELS, type Expr, type Terms } from '@stp/lean-kernel';
import { naturalValue, type Value } from './evaluator.ts';
import { ARROW, ELEMENT, type GroundType, instantiateType, NATURAL_TYPE, typeKey } from './ground-type.ts';
import type { SymbolReader } from './symbol-schemes.ts';

/** Maximum nesting of constructors of a type: `LENGTH_MAX` for lists and numbers, `DEPTH_MAX` for trees. */
const LENGTH_MAX = 8;
const DEPTH_MAX = 4;

/** Marsaglia's xorshift generator (2003), 32 bits. */
export class SmallRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) | 1;
  }

  below(bound: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 0) % bound;
  }
}

export interface SampleSize {
  /** 0 gives the smallest value. */
  readonly size: number;
  /**
   * Null: no restriction. Otherwise the final parts of values are among `count` values, beginning with `from`, so that
   * parts of values are equal more often than by chance: `[a, b]` begins with `[a]`.
   */
  readonly ends: { readonly from: number; readonly count: number } | null;
}

/** Returns null if no values of the type are known. */
export function sampleValue(
  reader: SymbolReader,
  type: GroundType,
  sample: SampleSize,
  random: SmallRandom,
  depth = 0,
): Value | null {
  const { size, ends } = sample;
  const isEnd = type.head === ELEMENT || (type.head === 'Nat' && depth > 0);
  const end = (of: number): number => (ends === null ? random.below(of) : (ends.from + random.below(ends.count)) % of);
  if (isEnd || type.head === 'Nat')
    return naturalValue(BigInt(size === 0 ? 0 : isEnd ? end(size + 2) : random.below(size + 2)));
  if (type.head === ARROW) return sampleFunction(type, random);
  if (depth > LENGTH_MAX + DEPTH_MAX * 4) return null;
  const inductive = reader.inductive(type.head);
  if (inductive === null) return null;
  const choices = inductive.constructors.flatMap((name) => {
    const scheme = reader.scheme(name);
    if (scheme === null) return [];
    const fields = scheme.slots.flatMap((slot) =>
      slot.kind === 'value' ? [instantiateType(slot.type, type.args)] : [],
    );
    const own = fields.filter((field) => typeKey(field) === typeKey(type)).length;
    return [{ name, fields, own }];
  });
  if (choices.length === 0) return null;
  const least = Math.min(...choices.map(({ own }) => own));
  const growing = choices.filter(({ own }) => own > 0);
  const most = growing.some(({ own }) => own > 1) ? Math.min(size, DEPTH_MAX) : Math.min(2 * size, LENGTH_MAX);
  const grows = depth < most && random.below(4) > 0 && growing.length > 0;
  const pool = grows ? growing : choices.filter(({ own }) => own === least);
  const { name, fields } = pool[grows ? random.below(pool.length) : end(pool.length)]!;
  const values: Value[] = [];
  for (const field of fields) {
    const value = sampleValue(reader, field, sample, random, depth + 1);
    if (value === null) return null;
    values.push(value);
  }
  const last = reader.terms.names.last(name);
  return {
    key: `(${[last, ...values.map((value) => value.key)].join(' ')})`,
    type,
    form: { kind: 'constructor', name, fields: values },
  };
}

/** A function on numbers, which also represent elements: its key, its text in Lean, and its term. */
type SampleFunction = readonly [name: string, text: string, make: (terms: Terms) => Expr];

const FUNCTIONS: Readonly<Record<string, readonly SampleFunction[]>> = {
  'Nat → Nat': [
    ['same', 'fun x => x', (terms) => lambda(terms, terms.bound(0))],
    ['next', 'fun x => x + 1', (terms) => lambda(terms, call(terms, 'Nat.succ', terms.bound(0)))],
    ['twice', 'fun x => x + x', (terms) => lambda(terms, call(terms, 'Nat.add', terms.bound(0), terms.bound(0)))],
    ['none', 'fun _ => 0', (terms) => lambda(terms, terms.natural(0n))],
  ],
  'Nat → Bool': [
    ['isOne', 'fun x => x == 1', (terms) => lambda(terms, call(terms, 'Nat.beq', terms.bound(0), terms.natural(1n)))],
    [
      'isSmall',
      'fun x => Nat.ble x 1',
      (terms) => lambda(terms, call(terms, 'Nat.ble', terms.bound(0), terms.natural(1n))),
    ],
    ['yes', 'fun _ => true', (terms) => lambda(terms, call(terms, 'Bool.true'))],
    ['no', 'fun _ => false', (terms) => lambda(terms, call(terms, 'Bool.false'))],
  ],
  'Nat → List(Nat)': [
    ['nothing', 'fun _ => []', (terms) => lambda(terms, list(terms))],
    ['alone', 'fun x => [x]', (terms) => lambda(terms, list(terms, terms.bound(0)))],
    [
      'both',
      'fun x => [x, x + 1]',
      (terms) => lambda(terms, list(terms, terms.bound(0), call(terms, 'Nat.succ', terms.bound(0)))),
    ],
  ],
};

function sampleFunction({ args: [from, to] }: GroundType, random: SmallRandom): Value | null {
  const flat = (type: GroundType): string => typeKey(type).replaceAll(ELEMENT, NATURAL_TYPE.head);
  const known = FUNCTIONS[`${flat(from!)} → ${flat(to!)}`];
  if (known === undefined) return null;
  const [name, text, expr] = known[random.below(known.length)]!;
  return { key: name, type: { head: ARROW, args: [from!, to!] }, form: { kind: 'function', text, expr } };
}

const constant = (terms: Terms, name: string): Expr => terms.constant(terms.names.of(name), EMPTY_LEVELS);
const list = (terms: Terms, ...elements: readonly Expr[]): Expr => {
  const made = (name: string, ...given: readonly Expr[]): Expr =>
    apply(terms, terms.constant(terms.names.of(name), terms.levels.list([terms.levels.zero])), [
      constant(terms, 'Nat'),
      ...given,
    ]);
  return elements.reduceRight<Expr>((rest, first) => made('List.cons', first, rest), made('List.nil'));
};
const lambda = (terms: Terms, body: Expr): Expr => terms.lambda(constant(terms, 'Nat'), body);
const call = (terms: Terms, name: string, ...given: readonly Expr[]): Expr =>
  given.reduce((fn, argument) => terms.application(fn, argument), constant(terms, name));
