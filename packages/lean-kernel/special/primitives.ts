/**
 * Decides which operations on numbers may be computed with big integers: operations whose definitions satisfy the
 * equations that determine them on all numbers. An operation with the same name but another definition is an ordinary
 * definition and unfolds like one.
 *
 * Greatest common divisors and bitwise operations are not included: they unfold to divisions by two and remainders, in
 * about as many steps as there are digits.
 *
 * The equations are checked by definitional equality, with variables for the numbers.
 */
import type { Checker } from '../check/checker.ts';
import type { Expr } from '../expr.ts';
import { EMPTY_LEVELS } from '../level.ts';
import type { Name } from '../name.ts';
import { apply } from '../spine.ts';
import { isDivision } from './division.ts';
import { OPERATIONS } from './operations.ts';

/** A function symbol in which the equations are written. */
type Call = (...given: Expr[]) => Expr;

interface Words {
  readonly x: Expr;
  readonly y: Expr;
  readonly zero: Expr;
  readonly true: Expr;
  readonly false: Expr;
  readonly succ: Call;
  /** The operation itself. */
  readonly own: Call;
  /** Another constant. */
  readonly of: (name: string) => Call;
}

interface Primitive {
  /** Operations that its definition uses, which must be verified already. */
  readonly rests: readonly string[];
  readonly result: 'Nat' | 'Bool';
  readonly equations: (words: Words) => readonly (readonly [Expr, Expr])[];
  readonly condition?: (checker: Checker) => boolean;
}

const PRIMITIVES: Readonly<Record<string, Primitive>> = {
  'Nat.add': {
    rests: [],
    result: 'Nat',
    equations: ({ x, y, zero, succ, own }) => [
      [own(x, zero), x],
      [own(x, succ(y)), succ(own(x, y))],
    ],
  },
  'Nat.sub': {
    rests: [],
    result: 'Nat',
    equations: ({ x, y, zero, succ, own, of }) => [
      [of('Nat.pred')(zero), zero],
      [of('Nat.pred')(succ(x)), x],
      [own(x, zero), x],
      [own(x, succ(y)), of('Nat.pred')(own(x, y))],
    ],
  },
  'Nat.mul': {
    rests: ['Nat.add'],
    result: 'Nat',
    equations: ({ x, y, zero, succ, own, of }) => [
      [own(x, zero), zero],
      [own(x, succ(y)), of('Nat.add')(own(x, y), x)],
    ],
  },
  'Nat.pow': {
    rests: ['Nat.mul'],
    result: 'Nat',
    equations: ({ x, y, zero, succ, own, of }) => [
      [own(x, zero), succ(zero)],
      [own(x, succ(y)), of('Nat.mul')(own(x, y), x)],
    ],
  },
  'Nat.beq': {
    rests: [],
    result: 'Bool',
    equations: (words) => [
      [words.own(words.zero, words.zero), words.true],
      [words.own(words.zero, words.succ(words.y)), words.false],
      [words.own(words.succ(words.x), words.zero), words.false],
      [words.own(words.succ(words.x), words.succ(words.y)), words.own(words.x, words.y)],
    ],
  },
  'Nat.ble': {
    rests: [],
    result: 'Bool',
    equations: (words) => [
      [words.own(words.zero, words.y), words.true],
      [words.own(words.succ(words.x), words.zero), words.false],
      [words.own(words.succ(words.x), words.succ(words.y)), words.own(words.x, words.y)],
    ],
  },
  'Nat.div': {
    rests: ['Nat.sub'],
    result: 'Nat',
    equations: () => [],
    condition: (checker) => isDivision(checker, 'Nat.div'),
  },
  'Nat.mod': {
    rests: ['Nat.sub'],
    result: 'Nat',
    equations: () => [],
    condition: (checker) => isDivision(checker, 'Nat.mod'),
  },
  'Nat.shiftLeft': {
    rests: ['Nat.mul'],
    result: 'Nat',
    equations: ({ x, y, zero, succ, own, of }) => [
      [own(x, zero), x],
      [own(x, succ(y)), own(of('Nat.mul')(succ(succ(zero)), x), y)],
    ],
  },
  'Nat.shiftRight': {
    rests: ['Nat.div'],
    result: 'Nat',
    equations: ({ x, y, zero, succ, own, of }) => [
      [own(x, zero), x],
      [own(x, succ(y)), of('Nat.div')(own(x, y), succ(succ(zero)))],
    ],
  },
};

/** Returns the operation as which a definition may be computed, or null. `label` is its printed name. */
export function verifiedPrimitive(checker: Checker, name: Name, label: string): string | null {
  const primitive = Object.hasOwn(PRIMITIVES, label) ? PRIMITIVES[label] : undefined;
  const { terms, environment, options, special, equality, inference } = checker;
  // A printed name may be ambiguous.
  if (primitive === undefined || name !== terms.names.of(label)) return null;
  // Looking up a constant also reads and verifies a trusted one that has not been used so far.
  const rests = primitive.rests.map((other) => terms.names.of(other));
  if (!rests.every((other) => environment.has(other) && options.accelerated.has(other))) return null;
  const constant = (its: string): Expr => terms.constant(terms.names.of(its), EMPTY_LEVELS);
  const naturals = special.naturals();
  const booleans = special.booleans();
  if (naturals === null || (primitive.result === 'Bool' && booleans === null)) return null;
  const nat = naturals.type;
  const binary = terms.forall(nat, terms.forall(nat, constant(primitive.result)));
  if (!equality.isEqual(inference.check(constant(label)), binary)) return null;
  const call =
    (its: string): Call =>
    (...given) =>
      apply(terms, constant(its), given);
  const words: Words = {
    x: checker.local(nat),
    y: checker.local(nat),
    zero: naturals.zero,
    // Used only by operations that return a `Bool`.
    true: booleans?.true ?? naturals.zero,
    false: booleans?.false ?? naturals.zero,
    succ: (...given) => apply(terms, naturals.successor, given),
    own: call(label),
    of: call,
  };
  const holds = primitive.equations(words).every(([left, right]) => {
    const types = equality.isEqual(inference.check(left), inference.check(right));
    return types && equality.isEqual(left, right);
  });
  return holds && (primitive.condition?.(checker) ?? true) ? label : null;
}

/**
 * Returns the operation as which an axiom of a trusted library may be computed, or null. A library may omit the bodies
 * of definitions that it does not expose, so its operations on numbers appear as axioms. Trust in the library includes
 * that these are what their names say; their types are verified here.
 */
export function operationOfAxiom(checker: Checker, name: Name, label: string): string | null {
  const { terms, environment, special } = checker;
  if (!Object.hasOwn(OPERATIONS, label) || name !== terms.names.of(label)) return null;
  const naturals = special.naturals();
  const constant = environment.get(name);
  const isTest = label === 'Nat.beq' || label === 'Nat.ble';
  const result = isTest ? special.booleans()?.type : naturals?.type;
  if (naturals === null || result === undefined || constant.kind !== 'axiom' || constant.levelParams.length > 0)
    return null;
  return constant.type === terms.forall(naturals.type, terms.forall(naturals.type, result)) ? label : null;
}
