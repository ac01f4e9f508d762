/** Changes one subexpression of a declaration, to make a wrong proof that is nearly right. */
import {
  APPLICATION,
  BOUND,
  CONSTANT,
  type Expr,
  FORALL,
  LAMBDA,
  LET,
  NATURAL,
  PROJECTION,
  SORT,
  STRING,
  type Terms,
} from '../expr.ts';
import type { Name } from '../name.ts';

/** Random numbers from a seed; equal seeds give equal numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  }

  /** Returns a number from 0 to `count` - 1. */
  below(count: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    this.#state >>>= 0;
    return this.#state % count;
  }
}

/**
 * Returns `expr` with one subexpression changed, chosen by a random walk from the root; null if nothing can be changed
 * there. `others` are constants that may replace a constant.
 */
export function mutate(terms: Terms, expr: Expr, others: readonly Name[], random: Random): Expr | null {
  const { levels } = terms;
  const inside = (part: Expr, rebuild: (changed: Expr) => Expr): Expr | null => {
    const changed = mutate(terms, part, others, random);
    return changed === null ? null : rebuild(changed);
  };
  switch (terms.kind(expr)) {
    case BOUND: {
      const index = terms.number(expr);
      return terms.bound(index > 0 && random.below(2) === 0 ? index - 1 : index + 1);
    }
    case SORT:
      return terms.sort(levels.successor(terms.level(expr)));
    case CONSTANT: {
      const list = levels.array(terms.levelList(expr));
      switch (random.below(6)) {
        case 0:
          return terms.constant(special(terms, random), levels.list(list));
        case 1:
          // One level more or one less.
          return terms.constant(terms.name(expr), levels.list(list.length === 0 ? [levels.zero] : list.slice(1)));
        case 2:
        case 3: {
          if (list.length === 0) break;
          const at = random.below(list.length);
          const changed = [
            levels.zero,
            levels.successor(list[at]!),
            levels.impredicativeMaximum(list[at]!, levels.zero),
          ];
          const level = changed[random.below(changed.length)]!;
          return terms.constant(terms.name(expr), levels.list(list.with(at, level)));
        }
      }
      return terms.constant(others[random.below(others.length)]!, terms.levelList(expr));
    }
    case APPLICATION: {
      const [fn, argument] = [terms.fn(expr), terms.argument(expr)];
      const which = random.below(12);
      if (which === 0) return fn;
      if (which === 1) return argument;
      return which < 7
        ? inside(fn, (changed) => terms.application(changed, argument))
        : inside(argument, (changed) => terms.application(fn, changed));
    }
    case LAMBDA:
    case FORALL: {
      const make = terms.kind(expr) === LAMBDA ? terms.lambda.bind(terms) : terms.forall.bind(terms);
      const [type, body] = [terms.binderType(expr), terms.body(expr)];
      return random.below(4) === 0
        ? inside(type, (changed) => make(changed, body))
        : inside(body, (changed) => make(type, changed));
    }
    case LET: {
      const [type, value, body] = [terms.binderType(expr), terms.letValue(expr), terms.letBody(expr)];
      return random.below(2) === 0
        ? inside(value, (changed) => terms.let(type, changed, body))
        : inside(body, (changed) => terms.let(type, value, changed));
    }
    case PROJECTION: {
      const [name, index, value] = [terms.name(expr), terms.fieldIndex(expr), terms.projected(expr)];
      return random.below(2) === 0
        ? terms.projection(name, index + 1, value)
        : inside(value, (changed) => terms.projection(name, index, changed));
    }
    case NATURAL:
      return random.below(2) === 0
        ? terms.natural(terms.naturalValue(expr) + 1n)
        : terms.application(terms.constant(special(terms, random), levels.list([])), expr);
    case STRING:
      return random.below(2) === 0
        ? terms.string(`${terms.stringValue(expr)}a`)
        : terms.application(terms.constant(special(terms, random), levels.list([])), expr);
    default:
      return null;
  }
}

/** Constants that the kernel treats specially. */
const SPECIAL = [
  'Nat',
  'Nat.zero',
  'Nat.succ',
  'Nat.add',
  'Nat.sub',
  'Nat.div',
  'Nat.beq',
  'Bool.true',
  'String.ofList',
  'Char.ofNat',
  'List.nil',
  'Eq.refl',
  'Quot.mk',
  'Quot.lift',
  'outParam',
  'propext',
];

function special(terms: Terms, random: Random): Name {
  return terms.names.of(SPECIAL[random.below(SPECIAL.length)]!);
}
