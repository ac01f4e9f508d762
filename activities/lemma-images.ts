/**
 * Finds theorems that state a problem again about images: for a statement about `UInt8` those that reduce its equations
 * to equations of the underlying bit vectors, and those that move `toBitVec` inwards. Such theorems share few terms with
 * the statement, so retrieval by terms ranks them low.
 */
import { imageFunction, type Push, pushOf, type Transfer, termsOf, transfersOf } from '@stp/selfplay';
import { signatureOf } from './theorem-text.ts';

/** Theorems about one image, as indices. */
export interface ImageTheorems {
  readonly transfers: readonly (Transfer & { readonly index: number })[];
  /** Equations that move the image's function inwards. */
  readonly pushes: readonly number[];
  /** Likewise for the functions that these bring in. */
  readonly further: readonly number[];
}

const PUSHES_MAX = 24;
const FURTHER_MAX = 8;

type Indexed<Part> = Part & { readonly index: number };

export class ImageIndex {
  readonly #transfers: readonly Indexed<Transfer>[];
  readonly #pushes: ReadonlyMap<string, readonly Indexed<Push>[]>;

  constructor(statements: readonly string[]) {
    const signatures = statements.map(signatureOf);
    this.#transfers = signatures.flatMap((text, index) => transfersOf(text).map((one) => ({ ...one, index })));
    const pushes = signatures.flatMap((text, index) => {
      const push = pushOf(text);
      return push === null ? [] : [{ ...push, index }];
    });
    this.#pushes = Map.groupBy(pushes, (one) => one.function);
  }

  /**
   * Returns theorems for the images of which most is known, most first.
   *
   * @param constants those of the elaborated statement, since its text need not name the types of its equations
   * @param accessible may a proof use the theorem of this index?
   */
  find(
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
