/**
 * Equations that move a function inwards, such as `(a + b).toNat = (a.toNat + b.toNat) % 2 ^ w`. Where a relation is
 * reduced to images (`transfersOf`), they reduce the terms.
 */
import { boundIn, termsIn } from '../retrieval/term-index.ts';
import {
  binderTerms,
  CLOSING,
  conclusionOf,
  isNumeral,
  OPENING,
  operators,
  RELATIONS,
  statementWords,
} from './statement-words.ts';

export interface Push {
  /** Last part of the function's name, or `↑`. */
  readonly function: string;
  /** Terms of the left side, without the function. */
  readonly left: readonly string[];
  /** Parts of the names on the right side. */
  readonly right: readonly string[];
  /** As `left`, with the terms of the binders except `Nat`, the type of numerals. */
  readonly terms: readonly string[];
}

/**
 * Returns the function that an equation moves inwards, or null.
 * @param text binders, colon and type, without keyword and name
 */
export function pushOf(text: string): Push | null {
  const stated = statementWords(text);
  const { words } = conclusionOf(stated.type);
  const relation = words.find((one) => RELATIONS.has(one.text));
  if (relation?.text !== '=' || words.some((one) => one.text === '↔')) return null;
  const [start, end] = [words[0]!.at, relation.at];
  const side = operators(stated.pieces.filter(({ at }) => start <= at && at < end)).map((one) => one.text);
  const head = headOf(side);
  if (head === null) return null;
  const bound = boundIn(text);
  // `a.toNat` says nothing of what `a` is made of. `UInt8.toNat 0` is about `UInt8`.
  const isWord = side.length === 1;
  const owner = isWord || isName(side[0]!) ? side[0]!.split('.').slice(0, -1).join('.') : '';
  if (bound.has(isWord ? owner : side.at(-1)!)) return null;
  const left = new Set(termsIn(text.slice(start, end), bound).filter((term) => lastPart(term) !== head));
  if (owner !== '' && !bound.has(owner.split('.')[0]!)) left.add(owner);
  const types = binderTerms(stated, bound).filter((term) => term !== 'Nat');
  return {
    function: head,
    left: [...left],
    right: [...new Set(termsIn(text.slice(end), bound).flatMap((term) => term.split('.')))],
    terms: [...left.union(new Set(types))],
  };
}

/** Returns the function of an image (`Transfer.image`) as `Push.function`, or null. */
export const imageFunction = (image: string): string | null => headOf(image.split(' '));

/**
 * Returns the last part of a term's outermost function: a `↑`, a qualified name before its arguments, or a name after
 * the last dot.
 */
function headOf(words: readonly string[]): string | null {
  const [first = '', ...others] = words;
  if (others.length === 0) return first.includes('.') ? lastPart(first) : null;
  if (first === '↑') return isOneArgument(others) ? first : null;
  if (first.includes('.') && isName(first)) return areArguments(others) ? lastPart(first) : null;
  const [dot, name = ''] = words.slice(-2);
  return dot === '.' && isName(name) && isOneArgument(words.slice(0, -2)) ? name : null;
}

const isOneArgument = (words: readonly string[]): boolean => argumentsOf(words) === 1;
const areArguments = (words: readonly string[]): boolean => argumentsOf(words) !== null;

/** Returns the number of arguments; null if a word outside brackets is an operator. */
function argumentsOf(words: readonly string[]): number | null {
  let [depth, count] = [0, 0];
  for (const word of words) {
    if (depth === 0 && !OPENING.has(word) && !isName(word) && !isNumeral(word)) return null;
    if (depth === 0) count++;
    depth += Number(OPENING.has(word)) - Number(CLOSING.has(word));
  }
  return count;
}

/** Matches a name, which may be qualified. */
const NAME = /^[\p{L}_·][\p{L}\p{N}_'!?₀-₉]*(?:\.[\p{L}_][\p{L}\p{N}_'!?₀-₉]*)*$/u;
const isName = (word: string): boolean => NAME.test(word);
const lastPart = (word: string): string => word.split('.').at(-1)!;
