/**
 * Tests whether `Nat.div` and `Nat.mod` are division and remainder. Both recurse over a sufficiently large number of
 * steps, guarded by tests whether one number is at most another. In the equations below, the proofs of the recursion
 * are variables, since all proofs of a proposition are equal. Given the correct order of numbers and the correct
 * meaning of a test, the equations determine the result for all numbers: as long as y ≤ x and 1 ≤ y, x / y is one more
 * than (x - y) / y, and the steps suffice.
 */
import type { Checker } from '../check/checker.ts';
import type { Expr } from '../expr.ts';
import { EMPTY_LEVELS } from '../level.ts';
import { apply } from '../spine.ts';

/**
 * Whether the equations of an operation hold; `label` is `Nat.div` or `Nat.mod`. Subtraction must have been verified
 * before.
 */
export function isDivision(checker: Checker, label: 'Nat.div' | 'Nat.mod'): boolean {
  return isOrder(checker) && areTests(checker) && new Division(checker, label).holds();
}

class Division {
  readonly #checker: Checker;
  readonly #label: 'Nat.div' | 'Nat.mod';

  constructor(checker: Checker, label: 'Nat.div' | 'Nat.mod') {
    this.#checker = checker;
    this.#label = label;
  }

  holds(): boolean {
    const { literals } = this.#checker;
    const nat = literals.naturalType();
    const x = this.#checker.local(nat);
    const y = this.#checker.local(nat);
    const zero = this.#call('Nat.zero');
    if (this.#label === 'Nat.div')
      return (
        this.#isSame(this.#call('Nat.div', x, y), this.#whereDivisor(x, y, 'Nat.div.go', zero)) &&
        this.#recursionHolds('Nat.div.go', x, y, zero, (quotient) => this.#call('Nat.succ', quotient))
      );
    const next = this.#call('Nat.succ', x);
    const whole = this.#choice('ite', this.#atMost(y, next), [y, next], this.#call('Nat.modCore', next, y), next);
    return (
      this.#isSame(this.#call('Nat.mod', zero, y), zero) &&
      this.#isSame(this.#call('Nat.mod', next, y), whole) &&
      this.#isSame(this.#call('Nat.modCore', x, y), this.#whereDivisor(x, y, 'Nat.modCore.go', x)) &&
      this.#recursionHolds('Nat.modCore.go', x, y, x, (remainder) => remainder)
    );
  }

  /** Returns `if h : 1 ≤ y then go y h (x + 1) x _ else otherwise`. */
  #whereDivisor(x: Expr, y: Expr, go: string, otherwise: Expr): Expr {
    const one = this.#call('Nat.succ', this.#call('Nat.zero'));
    const next = this.#call('Nat.succ', x);
    const enough = this.#checker.local(this.#atMost(next, next));
    const h = this.#checker.local(this.#atMost(one, y));
    const not = this.#checker.local(this.#not(this.#atMost(one, y)));
    return this.#choice(
      'dite',
      this.#atMost(one, y),
      [one, y],
      this.#checker.lambdaOver([h], this.#call(go, y, h, next, x, enough)),
      this.#checker.lambdaOver([not], otherwise),
    );
  }

  /** Whether `go y _ (fuel + 1) x _ = if y ≤ x then step (go y _ fuel (x - y) _) else otherwise`. */
  #recursionHolds(go: string, x: Expr, y: Expr, otherwise: Expr, step: (below: Expr) => Expr): boolean {
    const checker = this.#checker;
    const fuel = checker.local(checker.literals.naturalType());
    const one = this.#call('Nat.succ', this.#call('Nat.zero'));
    const less = this.#call('Nat.sub', x, y);
    const isDivisor = checker.local(this.#atMost(one, y));
    const enough = checker.local(this.#atMost(this.#call('Nat.succ', x), this.#call('Nat.succ', fuel)));
    const enoughBelow = checker.local(this.#atMost(this.#call('Nat.succ', less), fuel));
    const [h, not] = [checker.local(this.#atMost(y, x)), checker.local(this.#not(this.#atMost(y, x)))];
    return this.#isSame(
      this.#call(go, y, isDivisor, this.#call('Nat.succ', fuel), x, enough),
      this.#choice(
        'dite',
        this.#atMost(y, x),
        [y, x],
        checker.lambdaOver([h], step(this.#call(go, y, isDivisor, fuel, less, enoughBelow))),
        checker.lambdaOver([not], otherwise),
      ),
    );
  }

  #choice(which: 'ite' | 'dite', test: Expr, sides: Expr[], whenTrue: Expr, whenFalse: Expr): Expr {
    const { terms, literals } = this.#checker;
    const head = terms.constant(terms.names.of(which), terms.levels.list([terms.levels.one]));
    const decided = this.#call('Nat.decLe', ...sides);
    return apply(terms, head, [literals.naturalType(), test, decided, whenTrue, whenFalse]);
  }

  #atMost(left: Expr, right: Expr): Expr {
    return this.#call('Nat.le', left, right);
  }

  #not(test: Expr): Expr {
    return this.#checker.terms.forall(test, this.#call('False'));
  }

  #call(name: string, ...given: Expr[]): Expr {
    const { terms } = this.#checker;
    return apply(terms, terms.constant(terms.names.of(name), EMPTY_LEVELS), given);
  }

  #isSame(left: Expr, right: Expr): boolean {
    const { inference, equality } = this.#checker;
    return equality.isEqual(inference.check(left), inference.check(right)) && equality.isEqual(left, right);
  }
}

/** Whether `Nat.le` is the least relation with n ≤ n and with n ≤ m + 1 if n ≤ m. */
function isOrder(checker: Checker): boolean {
  const { terms, environment, literals } = checker;
  const nat = literals.naturalType();
  const constant = (name: string): Expr => terms.constant(terms.names.of(name), EMPTY_LEVELS);
  const le = (left: Expr, right: Expr): Expr => apply(terms, constant('Nat.le'), [left, right]);
  const [n, m] = [checker.local(nat), checker.local(nat)];
  const next = terms.application(constant('Nat.succ'), m);
  const prop = terms.sort(terms.levels.zero);
  return (
    hasConstructors(checker, 'Nat.le', terms.forall(nat, terms.forall(nat, prop)), [
      ['Nat.le.refl', checker.forallOver([n], le(n, n))],
      ['Nat.le.step', checker.forallOver([n, m], terms.forall(le(n, m), le(n, next)))],
    ]) && environment.has(terms.names.of('Nat.decLe'))
  );
}

/** Whether a decision of p is a proof of p or of its negation, and `ite` and `dite` choose by it. */
function areTests(checker: Checker): boolean {
  const { terms, inference, equality, literals } = checker;
  const prop = terms.sort(terms.levels.zero);
  const constant = (name: string): Expr => terms.constant(terms.names.of(name), EMPTY_LEVELS);
  const p = checker.local(prop);
  const negation = terms.forall(p, constant('False'));
  const decidable = terms.application(constant('Decidable'), p);
  const isSound =
    hasConstructors(checker, 'False', prop, []) &&
    hasConstructors(checker, 'Decidable', terms.forall(prop, terms.sort(terms.levels.one)), [
      ['Decidable.isFalse', checker.forallOver([p], terms.forall(negation, decidable))],
      ['Decidable.isTrue', checker.forallOver([p], terms.forall(p, decidable))],
    ]);
  if (!isSound) return false;
  const nat = literals.naturalType();
  const one = terms.levels.list([terms.levels.one]);
  const [yes, no] = [checker.local(p), checker.local(negation)];
  const decided = [
    apply(terms, constant('Decidable.isTrue'), [p, yes]),
    apply(terms, constant('Decidable.isFalse'), [p, no]),
  ];
  const [a, b] = [checker.local(nat), checker.local(nat)];
  const [fromYes, fromNo] = [checker.local(terms.forall(p, nat)), checker.local(terms.forall(negation, nat))];
  const choose = (which: string, decision: Expr, left: Expr, right: Expr): Expr =>
    apply(terms, terms.constant(terms.names.of(which), one), [nat, p, decision, left, right]);
  const cases: [Expr, Expr][] = [
    [choose('ite', decided[0]!, a, b), a],
    [choose('ite', decided[1]!, a, b), b],
    [choose('dite', decided[0]!, fromYes, fromNo), terms.application(fromYes, yes)],
    [choose('dite', decided[1]!, fromYes, fromNo), terms.application(fromNo, no)],
  ];
  return cases.every(([left, right]) => equality.isEqual(inference.check(left), nat) && equality.isEqual(left, right));
}

/** Whether a name is an inductive type with exactly these constructors, without universe parameters. */
function hasConstructors(checker: Checker, name: string, type: Expr, expected: readonly [string, Expr][]): boolean {
  const { terms, environment, equality } = checker;
  const inductive = environment.find(terms.names.of(name));
  return (
    inductive?.kind === 'inductive' &&
    inductive.levelParams.length === 0 &&
    inductive.constructors.length === expected.length &&
    equality.isEqual(inductive.type, type) &&
    expected.every(
      ([its, itsType], at) =>
        inductive.constructors[at] === terms.names.of(its) &&
        equality.isEqual(environment.get(inductive.constructors[at]!).type, itsType),
    )
  );
}
