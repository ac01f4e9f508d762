/**
 * Theorems that reduce a relation between any two values to a relation between their images, such as
 * `UInt8.lt_iff_toNat_lt : a < b ↔ a.toNat < b.toNat` and `Fin.ext : a.val = b.val → a = b`. Where a type wraps another
 * one, most proofs begin with such a theorem. It shares few terms with the statement, so retrieval by terms ranks it
 * low.
 */
import { boundIn } from '../retrieval/term-index.ts';
import {
  binderTerms,
  CLOSING,
  CONNECTIVES,
  conclusionOf,
  OPENING,
  operators,
  RELATIONS,
  statementWords,
  type Word,
} from './statement-words.ts';

export interface Transfer {
  readonly relation: string;
  /** The image of `·`, such as `·.toNat`. */
  readonly image: string;
  /** The side of the equivalence that has the values themselves; null: a rule, not an equivalence. */
  readonly valuesOn: 'left' | 'right' | null;
  /** Terms of the binders, without universes: what it is about. */
  readonly types: readonly string[];
}

/** Matches a conclusion, or a side of its equivalence, that relates two words. Most texts have none. */
const RELATES_WORDS = /[:→↔] (\S+) [^\s\p{L}\p{N}]+ \S+(?: ↔|$)/u;
/** Stands for the value in an image. */
const HOLE = '·';

/**
 * Returns the relations that a theorem reduces.
 * @param text binders, colon and type, without keyword and name
 */
export function transfersOf(text: string): Transfer[] {
  if (!RELATES_WORDS.test(text)) return [];
  const stated = statementWords(text);
  const { words } = conclusionOf(stated.type);
  const bound = boundIn(text);
  const mentioned = [...new Set(binderTerms(stated, bound))];
  const sides = sidesRelated(operators(stated.pieces));
  const middle = words.findIndex((word) => word.text === '↔');
  const rule = [{ side: words, valuesOn: null }] as const;
  const equivalence = [
    { side: words.slice(0, middle), valuesOn: 'left' },
    { side: words.slice(middle + 1), valuesOn: 'right' },
  ] as const;
  return (middle < 0 ? rule : equivalence).flatMap(({ side, valuesOn }) => {
    const [one = '', relation = '', other = ''] = side.map((word) => word.text);
    if (side.length !== 3 || one === other || !RELATIONS.has(relation)) return [];
    if (!bound.has(one) || !bound.has(other)) return [];
    const image = sides.map(([left, right]) => imageOf(left, right, one, other)).find((found) => found !== null);
    // An image with further variables, such as `a + ·`, is no simpler than the value.
    if (image === undefined || image.some((word) => bound.has(word))) return [];
    // A hypothesis in a binder says the relation of the images.
    const inImage = new Set(image.flatMap((word) => (word.includes('.') ? [word, word.split('.').at(-1)!] : [])));
    const types = mentioned.filter((term) => !RELATIONS.has(term) && !inImage.has(term));
    return [{ relation, image: image.join(' '), valuesOn, types }];
  });
}

/** Returns the words that become `left` for `one` and `right` for `other`; null if there are none. */
function imageOf(left: readonly string[], right: readonly string[], one: string, other: string): string[] | null {
  const image = left.map((word) => withVariable(word, one, HOLE));
  const ofOther = right.map((word) => withVariable(word, other, HOLE));
  const isImage = image.join(' ') === ofOther.join(' ') && image.join(' ') !== HOLE && image.join(' ').includes(HOLE);
  return isImage ? image : null;
}

/** Puts `put` in the place of a variable, also in `x.length`. */
function withVariable(word: string, variable: string, put: string): string {
  const [first, ...parts] = word.split('.');
  return first === variable ? [put, ...parts].join('.') : word;
}

/** Returns the words on both sides of each relation, also of those in brackets and among hypotheses. */
function sidesRelated(all: readonly Word[]): [string[], string[]][] {
  const words = all.map((word) => word.text);
  return words.flatMap((sign, at): [string[], string[]][] => {
    if (!RELATIONS.has(sign)) return [];
    const left = sideOf(words.slice(0, at).reverse(), CLOSING, OPENING).reverse();
    return [[left, sideOf(words.slice(at + 1), OPENING, CLOSING)]];
  });
}

/** Returns the words before the first sign that binds less tightly than relations, or the first unmatched bracket. */
function sideOf(words: readonly string[], opens: ReadonlySet<string>, closes: ReadonlySet<string>): string[] {
  let depth = 0;
  const end = words.findIndex((word) => {
    if (depth === 0 && (ENDS_SIDE.has(word) || closes.has(word))) return true;
    depth += Number(opens.has(word)) - Number(closes.has(word));
    return false;
  });
  return words.slice(0, end < 0 ? words.length : end);
}
const ENDS_SIDE: ReadonlySet<string> = new Set([...CONNECTIVES, '→', ',', ':']);
