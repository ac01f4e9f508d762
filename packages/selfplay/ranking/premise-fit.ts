/**
 * Describes how a premise relates to a statement, in words that name neither. So a ranker that has seen premises fail
 * and prove on lists knows something of premises on arrays.
 *
 * Example: for the statement `(xs : List α) : (xs ++ []).length = xs.length` the premise
 * `{as bs : List α} : (as ++ bs).length = as.length + bs.length` concludes an equation, as the statement does. The
 * statement has five of its six terms (`List`, `α`, `++`, `length`, `=`, but not `+`), and all of its left side.
 */
import { statementPieces, typeColon } from '@stp/lean-text';
import { termsOf } from '../retrieval/term-index.ts';

/** Connectives that bind less tightly than `¬` and any relation, the loosest first. */
export const CONNECTIVES = ['↔', '∨', '∧'] as const;
export const RELATIONS: ReadonlySet<string> = new Set('= ≠ ≤ < ≥ > ∈ ∉ ∣ ~ <+ <:+ <+: <:+: ⊆ ≍'.split(' '));
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
/** Words whose scope reaches to the end. */
const BINDERS: ReadonlySet<string> = new Set(['∃', '∀', 'fun', 'λ']);
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
  const { pieces } = statementPieces(text);
  const { words, hypotheses } = conclusionOf(pieces.slice(typeColon(pieces) + 1), 0);
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

export type Pieces = ReturnType<typeof statementPieces>['pieces'];

export interface Word {
  readonly text: string;
  readonly at: number;
}

interface Conclusion {
  /** Words and operators outside brackets. */
  readonly words: readonly Word[];
  readonly hypotheses: number;
}

/** Drops `∀ …,` and hypotheses before arrows, and opens brackets around the whole. `→` binds tighter than `↔`. */
export function conclusionOf(pieces: Pieces, depth: number): Conclusion {
  let words = operators(pieces.filter((piece) => piece.depth === depth));
  let hypotheses = 0;
  for (;;) {
    const scope = words.slice(0, firstBinder(words));
    const comma = words[0]?.text === '∀' ? words.findIndex((one) => one.text === ',') : -1;
    const arrow = scope.some((one) => one.text === '↔') ? -1 : scope.findLastIndex((one) => one.text === '→');
    if (comma < 0 && arrow < 0) break;
    hypotheses += scope.slice(0, arrow + 1).filter((one) => one.text === '→').length;
    words = words.slice(Math.max(comma, arrow) + 1);
  }
  const [open, close, ...others] = words;
  if (open?.text !== '(' || close?.text !== ')' || others.length > 0) return { words, hypotheses };
  const inner = conclusionOf(
    pieces.filter(({ at }) => at > open.at && at < close.at),
    depth + 1,
  );
  return { words: inner.words, hypotheses: hypotheses + inner.hypotheses };
}

function firstBinder(words: readonly Word[]): number {
  const found = words.findIndex((one) => BINDERS.has(one.text));
  return found < 0 ? words.length : found;
}

/** Joins neighbouring signs to operators, such as `<+`, and drops white space and `@`. */
export function operators(pieces: Pieces): Word[] {
  const words: Word[] = [];
  let end = -1;
  for (const { kind, text, at } of pieces) {
    const isSign = kind === 'other' && !STANDS_ALONE.test(text);
    const last = words.at(-1);
    if (isSign && last !== undefined && end === at) words[words.length - 1] = { ...last, text: last.text + text };
    else if (kind !== 'space' && text !== '@') words.push({ text, at });
    end = isSign ? at + text.length : -1;
  }
  return words;
}

/** Matches brackets, digits, and signs that are never a part of an operator. */
const STANDS_ALONE = /[()[\]{}⟨⟩⦃⦄⟦⟧‹›\p{Nd}¬∃∀λ,@]/u;

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
