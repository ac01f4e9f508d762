/**
 * Features of a conjecture for a ranker: its form, its relation to the statement that it should help with, and its
 * position in the exploration. Names count only as equal or different, so what is learned on lists applies to trees.
 */
import type { FoundAt } from '@stp/config/records';
import { statementPieces } from '@stp/lean-text';
import { readSignature, type Signature, splitAt } from '../statement-signature.ts';

/** Values by the feature's name; a feature that is missing is 0. */
export type ConjectureFeatures = ReadonlyMap<string, number>;

const BRACKET = /^[()[\]{}⟨⟩,]$/u;
const CONSTRUCTOR = /^(?:\d+|::|true|false|none|some|[\p{L}\p{N}_.]*\.(?:nil|leaf|empty|zero))$/u;
const ANNOTATION = /\(\s*(\[\s*\]|[\p{L}\p{N}_.']+)\s*:[^():=]*\)/gu;

/** Returns the words of a term: `[]` is one, brackets and type annotations are none. */
function wordsOf(text: string): string[] {
  const bare = text.replaceAll(ANNOTATION, '$1').replaceAll(/\[\s*\]/gu, ' List.nil ');
  const words = statementPieces(bare).pieces.filter(({ kind, text: word }) => kind !== 'space' && !BRACKET.test(word));
  return words.map(({ text: word }) => word);
}

const variablesOf = ({ binders }: Signature): Set<string> =>
  new Set(binders.flatMap(({ kind, names }) => (kind === 'explicit' ? names : [])));

/** Returns the names of functions, including operators. */
const functionsOf = (words: readonly string[], variables: ReadonlySet<string>): Set<string> =>
  new Set(words.filter((word) => !variables.has(word) && !CONSTRUCTOR.test(word) && word !== '='));

/** The statement that a conjecture should help with. */
export interface Beside {
  readonly functions: ReadonlySet<string>;
  /** Words of its body. */
  readonly words: number;
}

/** Reads a statement once for all its conjectures. */
export function besideOf(target: string): Beside {
  const signature = readSignature(target);
  if (signature === null) return { functions: new Set(), words: 1 };
  const words = [...signature.antecedents, signature.conclusion].flatMap(wordsOf);
  return { functions: functionsOf(words, variablesOf(signature)), words: Math.max(1, words.length) };
}

/** @param found position in the exploration; undefined: a model wrote it */
export function conjectureFeatures(statement: string, target: Beside, found?: FoundAt): ConjectureFeatures {
  const features = new Map([['bias', 1]]);
  const add = (name: string, value: number | boolean): void => {
    if (Number(value) !== 0) features.set(name, Number(value));
  };
  add('written', found === undefined);
  add('core', found?.isCore === true);
  add('statements', Math.log2(found?.statements ?? 1) / 5);
  const signature = readSignature(statement);
  if (signature === null) return features;
  const variables = variablesOf(signature);
  const isVariable = (word: string): boolean => variables.has(word);
  const sides = splitAt(statementPieces(signature.conclusion).pieces, '=').map(wordsOf);
  const [left = [], right = []] = sides;
  const words = [...signature.antecedents.flatMap(wordsOf), ...left, ...right];
  const functions = functionsOf(words, variables);
  const shared = functions.intersection(target.functions).size;
  const used = words.filter(isVariable);
  add('left', left.length / 8);
  add('right', right.length / 8);
  add('size over target', Math.min(2, words.length / target.words));
  add('functions', functions.size / 4);
  add('variables', new Set(used).size / 3);
  add('repeats', (used.length - new Set(used).size) / 4);
  add('conditional', signature.antecedents.length > 0);
  add('no equation', sides.length !== 2);
  add('right is a variable', right.length === 1 && isVariable(right[0]!));
  add('right is constant', right.length > 0 && !right.some(isVariable));
  add('shrinks', right.length < left.length);
  add('same head', left[0] === right[0]);
  add('permutes', left.length > 1 && left.toSorted().join(' ') === right.toSorted().join(' '));
  add(
    'a function of variables',
    left.length > 1 && new Set(left).size === left.length && left.slice(1).every(isVariable),
  );
  add(
    'constructor left',
    left.some((word) => CONSTRUCTOR.test(word)),
  );
  add(
    'constructor right',
    right.some((word) => CONSTRUCTOR.test(word)),
  );
  add('shared', shared / Math.max(1, functions.size));
  add('covers', shared / Math.max(1, target.functions.size));
  add('head shared', left[0] !== undefined && target.functions.has(left[0]));
  add(
    'any type',
    signature.binders.some(({ type }) => type.startsWith('Type')),
  );
  return features;
}
