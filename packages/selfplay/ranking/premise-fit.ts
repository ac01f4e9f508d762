/**
 * Describes how a premise relates to a statement, in words that name neither. So a ranker that has seen premises fail
 * and prove on lists knows something of premises on arrays.
 *
 * Example: for the statement `(xs : List α) : (xs ++ []).length = xs.length` the premise
 * `{as bs : List α} : (as ++ bs).length = as.length + bs.length` concludes an equation, as the statement does. The
 * statement has five of its six terms (`List`, `α`, `++`, `length`, `=`, but not `+`), and all of its left side.
 */
import { termsOf } from '../retrieval/term-index.ts';
import { CONNECTIVES, conclusionOf, firstBinder, RELATIONS, statementWords } from './statement-words.ts';

/** Words that begin a conclusion and decide its relation. */
const FIRST: ReadonlyMap<string, string> = new Map([
  ...[...'¬∃'].map((sign): [string, string] => [sign, sign]),
  ['Not', '¬'],
  ['Exists', '∃'],
  ['Eq', '='],
  ['Ne', '≠'],
  ['Iff', '↔'],
  ['LE.le', '≤'],
  ['LT.lt', '<'],
]);
/** Shares are rounded down to quarters. */
const PARTS_OF_SHARE = 4;
/** Most hypotheses that are told apart. */
const HYPOTHESES_MAX = 3;

/** Facts about a text, for any number of comparisons. */
export interface StatedTerms {
  /** The main relation or connective of the conclusion; `other` if it has none. */
  readonly relation: string;
  readonly terms: ReadonlySet<string>;
  /** Terms before the relation, or of the whole conclusion. */
  readonly left: ReadonlySet<string>;
  /** Number of hypotheses before arrows; those in binders do not count. */
  readonly hypotheses: number;
}

/** @param text binders, colon and type, without keyword and name */
export function statedTerms(text: string): StatedTerms {
  const { words, hypotheses } = conclusionOf(statementWords(text).type);
  const scope = words.slice(0, firstBinder(words));
  const first = FIRST.get(words[0]?.text ?? '');
  const connective = CONNECTIVES.find((sign) => scope.some((one) => one.text === sign));
  const main =
    connective === undefined && first !== undefined
      ? undefined
      : scope.find((one) => (connective === undefined ? RELATIONS.has(one.text) : one.text === connective));
  const terms = new Set(termsOf(text));
  return {
    relation: main?.text ?? first ?? 'other',
    terms,
    // Only the whole text tells which names are variables.
    left: new Set(termsOf(text.slice(words[0]?.at ?? text.length, main?.at)).filter((term) => terms.has(term))),
    hypotheses,
  };
}

/** Returns parts of an action that names the premise, for `actionFeatures`. */
export function premiseParts(statement: StatedTerms, premise: StatedTerms): string[] {
  const isSame = premise.relation === statement.relation;
  const [fits, covers, left] = [
    share(premise.terms, statement.terms),
    share(statement.terms, premise.terms),
    share(premise.left, statement.terms),
  ];
  return [
    `says:${premise.relation}`,
    `same:${isSame}`,
    `fits:${fits}`,
    `covers:${covers}`,
    `left:${left}`,
    `asks:${Math.min(premise.hypotheses, HYPOTHESES_MAX)}`,
    `same:${isSame} fits:${fits} covers:${covers}`,
  ];
}

/** Returns how many quarters of some terms are among others, rounded down: 4 means all. */
function share(some: ReadonlySet<string>, others: ReadonlySet<string>): number | 'none' {
  const both = [...some].filter((term) => others.has(term)).length;
  return some.size === 0 ? 'none' : Math.floor((PARTS_OF_SHARE * both) / some.size);
}
