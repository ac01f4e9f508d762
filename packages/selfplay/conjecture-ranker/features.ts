/**
 * What a ranker sees of a conjecture: its shape, with functions and variables as places, and how it lies beside the statement that it is
 * meant to help with. Names count only as equal or not, so what is learned on lists serves on trees.
 */
import type { FoundAt } from '@stp/config/records';
import { statementPieces } from '@stp/lean-text';
import { displayStatement } from '../prompts.ts';
import { readSignature, type Signature, splitAt } from '../signature.ts';

/** A feature and its value; a feature that is absent is 0. */
export type Features = ReadonlyMap<string, number>;

/** Shapes of more words than this are told by their size alone: each of them is rare. */
const SHAPE_WORDS_MAX = 12;
const BRACKET = /^[()[\]{}⟨⟩,]$/u;
const CONSTRUCTOR = /^(?:\d+|::|true|false|none|some|[\p{L}\p{N}_.]*\.(?:nil|leaf|empty|zero))$/u;
const ANNOTATION = /\(\s*(\[\s*\]|[\p{L}\p{N}_.']+)\s*:[^():=]*\)/gu;

/** Words of a term: `[]` is one, brackets are none. */
function wordsOf(text: string): string[] {
  return statementPieces(text.replaceAll(ANNOTATION, '$1').replaceAll(/\[\s*\]/gu, ' List.nil '))
    .pieces.filter(({ kind, text: word }) => kind !== 'space' && !BRACKET.test(word))
    .map(({ text: word }) => word);
}

const dataNames = ({ binders }: Signature): Set<string> =>
  new Set(binders.flatMap(({ kind, names }) => (kind === 'explicit' ? names : [])));

/** The names of functions and operators of a statement. */
function functionNames(words: Iterable<string>, variables: ReadonlySet<string>): Set<string> {
  return new Set([...words].filter((word) => !variables.has(word) && !CONSTRUCTOR.test(word) && word !== '='));
}

export interface Beside {
  /** Functions of the target. */
  readonly functions: ReadonlySet<string>;
  readonly words: number;
}

/** What of a target counts: read once for all conjectures beside it. */
export function besideOf(target: string): Beside {
  const signature = readSignature(target);
  if (signature === null) return { functions: new Set(), words: 1 };
  const words = [...signature.antecedents, signature.conclusion].flatMap(wordsOf);
  return { functions: functionNames(words, dataNames(signature)), words: Math.max(1, words.length) };
}

/** @param found undefined: a model wrote it */
export function conjectureFeatures(statement: string, target: Beside, found?: FoundAt): Features {
  const signature = readSignature(displayStatement(statement));
  if (signature === null) return new Map([['bias', 1]]);
  const variables = dataNames(signature);
  const sides = splitAt(statementPieces(signature.conclusion).pieces, '=').map(wordsOf);
  const [left = [], right = []] = sides;
  const premises = signature.antecedents.flatMap(wordsOf);
  const words = [...premises, ...left, ...right];
  const functions = functionNames(words, variables);
  const shared = [...functions].filter((name) => target.functions.has(name)).length;
  const features = new Map<string, number>();
  const add = (name: string, value: number | boolean): void => {
    if (Number(value) !== 0) features.set(name, Number(value));
  };
  const used = words.filter((word) => variables.has(word));
  const isVariable = (word: string): boolean => variables.has(word);
  const distinct = (side: readonly string[]): boolean => new Set(side).size === side.length;
  add('bias', 1);
  add('written', found === undefined);
  add('core', found?.isCore === true);
  add('place', Math.log2(1 + (found?.place ?? 0)) / 6);
  add('statements', Math.log2(found?.statements ?? 1) / 5);
  add('left', left.length / 8);
  add('right', right.length / 8);
  add('size', words.length / 16);
  add('size over target', Math.min(2, words.length / target.words));
  add('functions', functions.size / 4);
  add('variables', new Set(used).size / 3);
  add('repeats', (used.length - new Set(used).size) / 4);
  add('conditional', premises.length > 0);
  add('no equation', sides.length !== 2);
  add('right is a variable', right.length === 1 && isVariable(right[0]!));
  add('right is constant', right.length > 0 && !right.some(isVariable));
  add('shrinks', right.length < left.length);
  add('same head', left[0] === right[0]);
  add('permutes', left.length > 1 && left.toSorted().join(' ') === right.toSorted().join(' '));
  add('one function of variables', left.length > 1 && left.slice(1).every(isVariable) && distinct(left));
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
  add('all shared', shared === functions.size);
  add('head shared', left[0] !== undefined && target.functions.has(left[0]));
  add(
    'any type',
    signature.binders.some(({ type }) => type.startsWith('Type')),
  );
  if (words.length <= SHAPE_WORDS_MAX) {
    const shape = shapeOf(words.length === 0 ? [] : [...premises, '→', ...left, '=', ...right], variables, target);
    add(`shape ${shape}`, 1);
  }
  if (left.length <= SHAPE_WORDS_MAX / 2) add(`left ${shapeOf(left, variables, target)}`, 1);
  return features;
}

/** `append xs (append ys zs)` → `F x F y z`: functions of the target are capitals, others small letters. */
function shapeOf(words: readonly string[], variables: ReadonlySet<string>, target: Beside): string {
  const places = new Map<string, string>();
  const counts = { v: 0, F: 0, f: 0 };
  return words
    .map((word) => {
      if (word === '→' || word === '=' || CONSTRUCTOR.test(word)) return word;
      let place = places.get(word);
      if (place === undefined) {
        const kind = variables.has(word) ? 'v' : target.functions.has(word) ? 'F' : 'f';
        place = `${kind}${counts[kind]++}`;
        places.set(word, place);
      }
      return place;
    })
    .join(' ');
}
