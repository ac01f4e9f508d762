/**
 * Tests whether a theorem of one compiled module states the same as a constant of another. Their types must be the same
 * term, except for names and kinds of binders, which terms here do not have, and for constants that each module made
 * for its own statement (such as a `match` in it): those must be equal in the same sense, under any names.
 */
import { Budget, DEFAULT_LIMITS } from '../budget.ts';
import type { Expr, Terms } from '../expr.ts';
import { APPLICATION, CONSTANT, FORALL, LAMBDA, LET, PROJECTION } from '../expr.ts';
import type { Name } from '../name.ts';
import { Substitution } from '../substitution.ts';
import type { CompiledConstant } from './module-data.ts';

/** Returns a module's own constant, or null if the module has no constant with that name. */
type Own = (name: Name) => CompiledConstant | null;

/**
 * The first difference ends the comparison, so assumptions made on the way are never reused after a negative answer.
 */
export function isSameStatement(
  terms: Terms,
  substitution: Substitution,
  given: { readonly constant: CompiledConstant; readonly own: Own },
  asked: { readonly constant: CompiledConstant; readonly own: Own },
): boolean {
  return new Comparison(terms, substitution, given.own, asked.own).isSame(given.constant, asked.constant);
}

/** The same as `isSameStatement`, for callers without a running check. Throws `Decline` if the terms are too large. */
export function statesTheSame(
  terms: Terms,
  given: { readonly constant: CompiledConstant; readonly own: Own },
  asked: { readonly constant: CompiledConstant; readonly own: Own },
): boolean {
  return isSameStatement(terms, new Substitution(terms, new Budget(DEFAULT_LIMITS)), given, asked);
}

/** Whether two modules have the same definition or theorem: the same type and, for a definition, the same value. */
export function isSameConstant(
  terms: Terms,
  substitution: Substitution,
  given: { readonly name: Name; readonly own: Own },
  asked: { readonly name: Name; readonly own: Own },
): boolean {
  return new Comparison(terms, substitution, given.own, asked.own).isSameConstant(given.name, asked.name);
}

class Comparison {
  readonly #terms: Terms;
  readonly #substitution: Substitution;
  readonly #given: Own;
  readonly #asked: Own;
  readonly #same = new Set<string>();

  constructor(terms: Terms, substitution: Substitution, given: Own, asked: Own) {
    this.#terms = terms;
    this.#substitution = substitution;
    this.#given = given;
    this.#asked = asked;
  }

  /** Both must be constants of their own modules. */
  isSameConstant(given: Name, asked: Name): boolean {
    return this.#given(given) !== null && this.#sameConstants(given, asked);
  }

  isSame(given: CompiledConstant, asked: CompiledConstant): boolean {
    return this.#sameParts(given, asked, [[given.type, asked.type]]);
  }

  /** Renames the level parameters of `asked` to those of `given`, in order. */
  #sameParts(given: CompiledConstant, asked: CompiledConstant, pairs: readonly (readonly [Expr, Expr])[]): boolean {
    const { levels } = this.#terms;
    if (given.levelParams.length !== asked.levelParams.length) return false;
    const to = given.levelParams.map((name) => levels.parameter(name));
    return pairs.every(([mine, theirs]) =>
      this.#sameTerms(mine, this.#substitution.instantiateLevels(theirs, asked.levelParams, to)),
    );
  }

  #sameTerms(first: Expr, second: Expr): boolean {
    const terms = this.#terms;
    const waiting: (readonly [Expr, Expr])[] = [[first, second]];
    for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
      const [given, asked] = pair;
      const key = `${given} ${asked}`;
      if (this.#same.has(key)) continue;
      this.#same.add(key);
      const kind = terms.kind(given);
      if (kind !== terms.kind(asked)) return false;
      switch (kind) {
        case CONSTANT:
          if (terms.levelList(given) !== terms.levelList(asked)) return false;
          if (!this.#sameConstants(terms.name(given), terms.name(asked))) return false;
          break;
        case APPLICATION:
          waiting.push([terms.fn(given), terms.fn(asked)], [terms.argument(given), terms.argument(asked)]);
          break;
        case LAMBDA:
        case FORALL:
          waiting.push([terms.binderType(given), terms.binderType(asked)], [terms.body(given), terms.body(asked)]);
          break;
        case LET:
          waiting.push(
            [terms.binderType(given), terms.binderType(asked)],
            [terms.letValue(given), terms.letValue(asked)],
            [terms.letBody(given), terms.letBody(asked)],
          );
          break;
        case PROJECTION:
          if (terms.name(given) !== terms.name(asked) || terms.fieldIndex(given) !== terms.fieldIndex(asked))
            return false;
          waiting.push([terms.projected(given), terms.projected(asked)]);
          break;
        default:
          if (given !== asked) return false;
      }
    }
    return true;
  }

  #sameConstants(given: Name, asked: Name): boolean {
    const [mine, theirs] = [this.#given(given), this.#asked(asked)];
    if (mine === null && theirs === null) return given === asked;
    if (mine === null || theirs === null) return false;
    const key = `constants ${given} ${asked}`;
    if (this.#same.has(key)) return true;
    this.#same.add(key);
    if (mine.kind === 'theorem' && theirs.kind === 'theorem') return this.isSame(mine, theirs);
    // Only definitions are needed to read a statement. Inductive types are not compared by their parts.
    if (mine.kind !== 'definition' || theirs.kind !== 'definition' || mine.safety !== theirs.safety) return false;
    return this.#sameParts(mine, theirs, [
      [mine.type, theirs.type],
      [mine.value, theirs.value],
    ]);
  }
}
