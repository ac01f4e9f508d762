/**
 * Describes how a premise relates to a statement, in words that mean the same for all of both. So a ranker that has seen
 * premises fail and prove on lists knows something of premises on arrays.
 *
 * Example: for the statement `(xs : List α) : (xs ++ []).length = xs.length` the premise
 * `{as bs : List α} : (as ++ bs).length = as.length + bs.length` concludes an equation, as the statement does. The
 * statement has five of its six terms (`List`, `α`, `++`, `length`, `=`, but not `+`), and all of its left side.
 */
import { CLOSERS, statementPieces, typeColon } from '@stp/lean-text';
import { termsOf } from '../retrieval/term-index.ts';

/** Relations and connectives, the loosest first: `a = b ∧ p` is a conjunction. */
const RELATIONS: readonly ReadonlySet<string>[] = [
  new Set(['↔']),
  new Set(['∨']),
  new Set(['∧']),
  new Set(['=', '≠', '≤', '<', '≥', '>', '∈', '∉', '∣', '~', '<+', '<:+', '<+:', '<:+:', '⊆', '≍']),
];
/** What stands before all that it joins, and the names of relations without notation. */
const FIRST: Readonly<Record<string, string>> = {
  ...{ '¬': '¬', '∃': '∃', '∀': '∀', Not: '¬', Exists: '∃' },
  ...{ Eq: '=', Ne: '≠', Iff: '↔', 'LE.le': '≤', 'LT.lt': '<' },
};
/** Shares are told in quarters. */
const PARTS_OF_SHARE = 4;
/** Most hypotheses that are told apart. */
const HYPOTHESES_MAX = 3;

/** What is read of a text once, for any number of comparisons. */
export interface StatedTerms {
  /** The main relation or connective of the conclusion; `other` if it has none. */
  readonly relation: string;
  readonly terms: ReadonlySet<string>;
  /** Terms before the relation, or of the whole conclusion. */
  readonly left: ReadonlySet<string>;
  /** Number of hypotheses that stand before arrows. */
  readonly hypotheses: number;
}

/** @param text binders, colon and type, without keyword and name */
export function statedTerms(text: string): StatedTerms {
  const { pieces } = statementPieces(text);
  const words = operators(pieces.slice(typeColon(pieces) + 1).filter(({ depth }) => depth === 0));
  const arrow = words.findLastIndex((one) => one.text === '→');
  const conclusion = words.slice(arrow + 1);
  const from = conclusion[0]?.at ?? text.length;
  const first = FIRST[conclusion[0]?.text ?? ''];
  const loosest = RELATIONS.find((some) => conclusion.some((one) => some.has(one.text)));
  const main = first === undefined ? conclusion.find((one) => loosest?.has(one.text)) : undefined;
  const terms = new Set(termsOf(text));
  return {
    relation: first ?? main?.text ?? 'other',
    terms,
    // Only the whole text tells which names are variables.
    left: new Set(termsOf(text.slice(from, main?.at)).filter((term) => terms.has(term))),
    hypotheses: words.filter((one) => one.text === '→').length,
  };
}

interface Word {
  readonly text: string;
  readonly at: number;
}

/** Joins neighbouring signs to operators, such as `<+`, and drops white space. */
function operators(pieces: ReturnType<typeof statementPieces>['pieces']): Word[] {
  const words: Word[] = [];
  let end = -1;
  for (const { kind, text, at } of pieces) {
    const isSign = kind === 'other' && CLOSERS[text] === undefined && !BRACKETS.has(text);
    const last = words.at(-1);
    if (isSign && last !== undefined && end === at) words[words.length - 1] = { ...last, text: last.text + text };
    else if (kind !== 'space') words.push({ text, at });
    end = isSign ? at + text.length : -1;
  }
  return words;
}

const BRACKETS: ReadonlySet<string> = new Set(Object.values(CLOSERS));

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
function share(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  const both = [...some].filter((term) => others.has(term)).length;
  return some.size === 0 ? PARTS_OF_SHARE : Math.floor((PARTS_OF_SHARE * both) / some.size);
}
