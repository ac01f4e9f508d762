/**
 * Reads a statement's words and operators, for what is found by the form of a statement.
 * A text is binders, colon and type, without keyword and name.
 */
import { CLOSERS, statementPieces, typeColon } from '@stp/lean-text';
import { termsIn } from '../retrieval/term-index.ts';

/** Connectives that bind less tightly than `¬` and any relation, the loosest first. */
export const CONNECTIVES = ['↔', '∨', '∧'] as const;
export const RELATIONS: ReadonlySet<string> = new Set('= ≠ ≤ < ≥ > ∈ ∉ ∣ ~ <+ <:+ <+: <:+: ⊆ ≍'.split(' '));
/** Words whose scope reaches to the end. */
const BINDERS: ReadonlySet<string> = new Set(['∃', '∀', 'fun', 'λ']);
const UNIVERSE = /^(?:Type|Sort|Prop|[uvw](?:_\d+)?)$/u;
const NUMERAL = /^\p{Nd}+$/u;
export const isNumeral = (word: string): boolean => NUMERAL.test(word);

export const OPENING: ReadonlySet<string> = new Set(Object.keys(CLOSERS));
export const CLOSING: ReadonlySet<string> = new Set(Object.values(CLOSERS));

type Pieces = ReturnType<typeof statementPieces>['pieces'];

export interface Word {
  readonly text: string;
  readonly at: number;
}

interface Conclusion {
  /** Words and operators outside brackets. */
  readonly words: readonly Word[];
  readonly hypotheses: number;
}

interface StatementWords {
  readonly pieces: Pieces;
  readonly binders: string;
  /** Pieces after the colon. */
  readonly type: Pieces;
}

export function statementWords(text: string): StatementWords {
  const { pieces } = statementPieces(text);
  const colon = typeColon(pieces);
  return { pieces, binders: text.slice(0, pieces[colon]?.at), type: pieces.slice(colon + 1) };
}

/**
 * Returns the terms of the binders, without universes.
 * @param bound names of variables of the whole text
 */
export const binderTerms = ({ binders }: StatementWords, bound: ReadonlySet<string>): string[] =>
  termsIn(binders, bound).filter((term) => !UNIVERSE.test(term));

/** Drops `∀ …,` and hypotheses before arrows, and opens brackets around the whole. `→` binds tighter than `↔`. */
export function conclusionOf(pieces: Pieces, depth = 0): Conclusion {
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

export function firstBinder(words: readonly Word[]): number {
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
