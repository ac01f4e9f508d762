/** Values to test equations with: small ones first, chosen by a generator of fixed numbers, so that a test can be repeated. */
import type { Expr, Terms } from '../kernel/expr.ts';
import { EMPTY_LEVELS } from '../kernel/level.ts';
import { naturalValue, type Value } from './evaluator.ts';
import { ARROW, ELEMENT, type GroundType, instantiateType, NATURAL_TYPE, typeKey } from './ground-type.ts';
import type { SignatureReader } from './signature.ts';

/** Constructors of a type within each other: of lists and numbers, which end by themselves, and of trees. */
const LENGTH_MAX = 8;
const DEPTH_MAX = 4;

/** Marsaglia's xorshift (2003), 32 bits. */
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

/** Null where no values of the type are known. `size`: 0 gives the least value. */
export function sampleValue(
  signature: SignatureReader,
  type: GroundType,
  size: number,
  random: SmallRandom,
  depth = 0,
): Value | null {
  if (type.head === 'Nat' || type.head === ELEMENT)
    return naturalValue(BigInt(size === 0 ? 0 : random.below(size + 2)));
  if (type.head === ARROW) return sampleFunction(type, random);
  if (depth > LENGTH_MAX + DEPTH_MAX * 4) return null;
  const inductive = signature.inductive(type.head);
  if (inductive === null) return null;
  const choices = inductive.constructors.flatMap((name) => {
    const scheme = signature.scheme(name);
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
  const mayGrow = depth < most && random.below(4) > 0;
  const pool = mayGrow && growing.length > 0 ? growing : choices.filter(({ own }) => own === least);
  const { name, fields } = pool[random.below(pool.length)]!;
  const values: Value[] = [];
  for (const field of fields) {
    const value = sampleValue(signature, field, size, random, depth + 1);
    if (value === null) return null;
    values.push(value);
  }
  const last = signature.terms.names.last(name);
  return {
    key: `(${[last, ...values.map((value) => value.key)].join(' ')})`,
    type,
    form: { kind: 'constructor', name, fields: values },
  };
}

/** Functions from numbers, or elements, which are numbers here, to one of a few types. */
const FUNCTIONS: Readonly<Record<string, readonly (readonly [name: string, make: (terms: Terms) => Expr])[]>> = {
  'Nat → Nat': [
    ['same', (terms) => lambda(terms, terms.bound(0))],
    ['next', (terms) => lambda(terms, call(terms, 'Nat.succ', terms.bound(0)))],
    ['twice', (terms) => lambda(terms, call(terms, 'Nat.add', terms.bound(0), terms.bound(0)))],
    ['none', (terms) => lambda(terms, terms.natural(0n))],
  ],
  'Nat → Bool': [
    ['isOne', (terms) => lambda(terms, call(terms, 'Nat.beq', terms.bound(0), terms.natural(1n)))],
    ['isSmall', (terms) => lambda(terms, call(terms, 'Nat.ble', terms.bound(0), terms.natural(1n)))],
    ['yes', (terms) => lambda(terms, call(terms, 'Bool.true'))],
    ['no', (terms) => lambda(terms, call(terms, 'Bool.false'))],
  ],
};

function sampleFunction({ args: [from, to] }: GroundType, random: SmallRandom): Value | null {
  const flat = (type: GroundType): string => typeKey(type.head === ELEMENT ? NATURAL_TYPE : type);
  const known = FUNCTIONS[`${flat(from!)} → ${flat(to!)}`];
  if (known === undefined) return null;
  const [name, expr] = known[random.below(known.length)]!;
  return { key: name, type: { head: ARROW, args: [from!, to!] }, form: { kind: 'function', expr } };
}

const constant = (terms: Terms, name: string): Expr => terms.constant(terms.names.of(name), EMPTY_LEVELS);
const lambda = (terms: Terms, body: Expr): Expr => terms.lambda(constant(terms, 'Nat'), body);
const call = (terms: Terms, name: string, ...given: readonly Expr[]): Expr =>
  given.reduce((fn, argument) => terms.application(fn, argument), constant(terms, name));
