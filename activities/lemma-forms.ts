/**
 * Finds theorems by their form, where retrieval by terms ranks them low because they share few terms with the statement:
 * theorems of the statement's form on other types; equations that rewrite a part of it; and theorems that state it again
 * about images. For a statement about `UInt8` these reduce its equations to equations of the underlying bit vectors, and
 * move `toBitVec` inwards.
 */
import {
  imageFunction,
  type Push,
  pushOf,
  type RewriteRule,
  rewriteRuleOf,
  statementForm,
  type Transfer,
  termsOf,
  transfersOf,
} from '@stp/selfplay';
import { signatureOf } from './theorem-text.ts';

/** Theorems about one image, as indices. */
export interface ImageTheorems {
  readonly transfers: readonly (Transfer & { readonly index: number })[];
  /** Equations that move the image's function inwards. */
  readonly pushes: readonly number[];
  /** Likewise for the functions that these bring in. */
  readonly further: readonly number[];
}

/** An equation that rewrites a part of a statement. */
export interface FoundRule {
  readonly index: number;
  /** Functions of its right side that the statement does not mention. */
  readonly brings: readonly string[];
}

const PUSHES_MAX = 24;
const FURTHER_MAX = 8;
const BROUGHT_MAX = 4;
/** `simp` decides propositions by itself; with this unfolded it meets instances instead. */
const DECIDES = 'Decidable.decide';

type Indexed<Part> = Part & { readonly index: number };

interface Facts {
  readonly form: string;
  readonly transfers: readonly Transfer[];
  readonly push: Push | null;
  readonly rule: RewriteRule | null;
}

/** By signature, since each shard of a round reads the same theorems. */
const known = new Map<string, Facts>();
const KNOWN_MAX = 100_000;

function factsOf(signature: string): Facts {
  const found = known.get(signature);
  if (found !== undefined) return found;
  const facts = {
    form: statementForm(signature),
    transfers: transfersOf(signature),
    push: pushOf(signature),
    rule: rewriteRuleOf(signature),
  };
  if (known.size < KNOWN_MAX) known.set(signature, facts);
  return facts;
}

export class LemmaForms {
  readonly #byForm: ReadonlyMap<string, readonly number[]>;
  readonly #transfers: readonly Indexed<Transfer>[];
  readonly #pushes: ReadonlyMap<string, readonly Indexed<Push>[]>;
  /** Rules by the term of their left side that fewest rules have; `rivals` counts these. */
  readonly #rules: ReadonlyMap<string, readonly Indexed<RewriteRule & { readonly rivals: number }>[]>;

  constructor(statements: readonly string[]) {
    const facts = statements.map((statement, index) => ({ ...factsOf(signatureOf(statement)), index }));
    this.#byForm = Map.groupBy(statements.keys(), (index) => facts[index]!.form);
    this.#transfers = facts.flatMap(({ transfers, index }) => transfers.map((one) => ({ ...one, index })));
    const pushes = facts.flatMap(({ push, index }) => (push === null ? [] : [{ ...push, index }]));
    this.#pushes = Map.groupBy(pushes, (one) => one.function);
    const rules = facts.flatMap(({ rule, index }) => (rule === null ? [] : [{ ...rule, index }]));
    const rulesWith = new Map<string, number>();
    for (const term of rules.flatMap(({ left }) => left)) rulesWith.set(term, (rulesWith.get(term) ?? 0) + 1);
    const counted = rules.map((rule) => ({
      ...rule,
      rivals: Math.min(...rule.left.map((term) => rulesWith.get(term)!)),
    }));
    this.#rules = Map.groupBy(counted, ({ left, rivals }) => left.find((term) => rulesWith.get(term) === rivals)!);
  }

  /** Returns theorems of the statement's form, in order. */
  analogues(statement: string, accessible: (index: number) => boolean, most: number): number[] {
    const alike = this.#byForm.get(statementForm(signatureOf(statement))) ?? [];
    return alike.filter(accessible).slice(0, most);
  }

  /**
   * Returns equations that rewrite a part of the statement. Those about its rarest constants come first, then those
   * without hypotheses, then those whose left sides have more terms.
   *
   * @param constants those of the elaborated statement, since `(m...n).toList` does not say which `toList` it means
   */
  rules(
    statement: string,
    constants: readonly string[],
    accessible: (index: number) => boolean,
    most: number,
  ): FoundRule[] {
    // A constant such as `Std.Rco.mk` mentions the type `Std.Rco`.
    const types = constants.map((name) => name.slice(0, Math.max(0, name.lastIndexOf('.'))));
    const mentioned = new Set(termsOf([signatureOf(statement), ...constants, ...types].join(' ')));
    const isMentioned = (term: string): boolean => mentioned.has(term);
    const found = [...mentioned]
      .flatMap((term) => this.#rules.get(term) ?? [])
      .filter(({ left, types: own, index }) => left.every(isMentioned) && own.every(isMentioned) && accessible(index));
    return found
      .toSorted(
        (one, other) =>
          one.rivals - other.rivals ||
          Number(one.isConditional) - Number(other.isConditional) ||
          other.left.length - one.left.length,
      )
      .slice(0, most)
      .map(({ index, right }) => {
        const brings = right.filter((name) => !isMentioned(name) && name !== DECIDES);
        return { index, brings: brings.slice(0, BROUGHT_MAX) };
      });
  }

  /**
   * Returns theorems for the images of which most is known, most first.
   *
   * @param constants those of the elaborated statement, since its text need not name the types of its equations
   * @param accessible may a proof use the theorem of this index?
   */
  images(
    statement: string,
    constants: readonly string[],
    accessible: (index: number) => boolean,
    most: number,
  ): ImageTheorems[] {
    const mentioned = new Set(termsOf(`${signatureOf(statement)} ${constants.join(' ')}`));
    if (mentioned.has('≠')) mentioned.add('=');
    const isMentioned = (term: string): boolean => mentioned.has(term);
    const fitting = this.#transfers.filter(
      ({ relation, types, index }) =>
        types.length > 0 && isMentioned(relation) && types.every(isMentioned) && accessible(index),
    );
    const images = [...Map.groupBy(fitting, ({ image }) => image)].flatMap(([image, transfers]): ImageTheorems[] => {
      const own = imageFunction(image);
      // An operator, such as `a + 1`, leads to no simpler type.
      if (own === null) return [];
      const pushes = this.#of([own], accessible, ({ terms }) => terms.every(isMentioned));
      const brought = new Set(
        pushes.flatMap(({ right }) => right.filter((term) => !isMentioned(term) && term !== own)),
      );
      const further = this.#of(
        [...brought],
        accessible,
        ({ left }) => left.some(isMentioned) && left.every((term) => isMentioned(term) || brought.has(term)),
      );
      return [{ transfers, pushes: indices(pushes, PUSHES_MAX), further: indices(further, FURTHER_MAX) }];
    });
    return images.toSorted((one, other) => other.pushes.length - one.pushes.length).slice(0, most);
  }

  #of(
    functions: readonly string[],
    accessible: (index: number) => boolean,
    fits: (push: Push) => boolean,
  ): Indexed<Push>[] {
    const all = functions.flatMap((name) => this.#pushes.get(name) ?? []);
    return all.filter((one) => fits(one) && accessible(one.index));
  }
}

const indices = (some: readonly Indexed<Push>[], most: number): number[] =>
  some.slice(0, most).map(({ index }) => index);
