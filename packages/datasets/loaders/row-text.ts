/**
 * Splits a dataset row's text into the part above its theorem (imports, opens, definitions) and the theorem. Fills in
 * the answer of a problem that leaves it open (`abbrev NAME : TYPE := sorry` with `-- ANSWER`, as in PutnamBench).
 * Splits commands, comments and brackets; does not parse Lean.
 */
import { type Command, type MaskedSource, maskSource, readCommands } from '@stp/lean-text';
import type { Answers } from './answers.ts';
import { type TheoremText, theoremText } from './theorem-text.ts';

export interface RowText {
  readonly theorem: TheoremText;
  /** The text above the theorem, the row's header first; the header itself if nothing else is there. */
  readonly above: string;
  /** Whether an answer was filled in. */
  readonly isAnswered: boolean;
}

const THEOREM: ReadonlySet<string> = new Set(['theorem', 'lemma']);
const DEFINING: ReadonlySet<string> = new Set(['def', 'abbrev']);
const OPEN = /(?<![\p{L}\p{N}_'!?.])(?:sorry|admit)(?![\p{L}\p{N}_'!?])/u;
/** A body that is left open as a whole. */
const OPEN_BODY = /:=\s*(?:by\s+)?sorry$/u;
const COMMENT = /--[^\n]*|\/-[\s\S]*?-\//gu;
const BRACKETS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '⟨': '⟩', '⟦': '⟧' };
const CLOSING: ReadonlySet<string> = new Set([')', ']', '}', '⟩', '⟧']);
/** Text that would begin or end something that is no part of a term. */
const NOT_IN_TERM = /--|\/-|-\/|["`«»@#]/u;
const ANSWER_CHARS_MAX = 1_024;

/** A command with its modifiers, up to the next command. */
interface Piece {
  readonly keyword: string;
  readonly begin: number;
  readonly limit: number;
  /** The text without comments. */
  readonly code: string;
}

/** Returns the row's text, or why it is not used. `header` may be empty. Never throws. */
export function rowText(formal: string, header: string, answers: Answers): RowText | { readonly problem: string } {
  const masked = maskSource(formal);
  const pieces = piecesOf(masked);
  if (masked.code.slice(0, pieces[0]?.begin).trim() !== '') return problem('formal_statement is not a theorem');
  const theorems = pieces.filter(({ keyword }) => THEOREM.has(keyword));
  const [first] = theorems;
  if (first === undefined)
    return DEFINING.has(pieces.at(-1)?.keyword ?? '')
      ? problem('asks for a construction (def), not for a proof')
      : problem('formal_statement is not a theorem');
  if (theorems.length > 1) return problem('formal_statement has two theorems');
  const below = pieces.find(({ begin, keyword }) => begin > first.begin && keyword !== 'end');
  if (below !== undefined) return problem(`${below.keyword} stands below the theorem`);
  const theorem = theoremText(formal.slice(first.begin, first.limit));
  if (theorem === null) return problem('formal_statement is not a theorem');
  if (masked.code.slice(0, first.begin).trim() === '' && !OPEN.test(maskSource(header).code))
    return { theorem, above: header.trim(), isAnswered: false };
  // Comments above the theorem are read, because one contains the answer.
  const filled = answered([header.trim(), formal.slice(0, first.begin)].join('\n\n'), answers);
  return 'problem' in filled ? filled : { theorem, ...filled };
}

/** Returns the text above a theorem, without comments and with its open definition filled in. */
function answered(
  text: string,
  answers: Answers,
): { readonly above: string; readonly isAnswered: boolean } | { readonly problem: string } {
  const masked = maskSource(text);
  const pieces = piecesOf(masked);
  if (pieces.some(({ code }) => /\sin$/u.test(code))) return problem('a command above the theorem ends with `in`');
  const open = pieces.filter(({ code }) => OPEN.test(code));
  const [one] = open;
  if (one === undefined) return { above: tidy(masked.withoutComments), isAnswered: false };
  if (open.length > 1) return problem('two definitions are left open');
  if (!DEFINING.has(one.keyword) || !OPEN_BODY.test(one.code) || one.code.match(new RegExp(OPEN, 'gu'))!.length > 1)
    return problem(`${one.keyword} above the theorem rests on sorry`);
  if (answers === 'none') return problem('asks for an answer, and --answers is none');
  const answer = answerIn(text.slice(one.begin + one.code.length, one.limit));
  if ('problem' in answer) return answer;
  const end = one.begin + one.code.length;
  const head = one.code.replace(OPEN_BODY, `:= ${answer.term}`);
  const plain = masked.withoutComments;
  return { above: tidy(plain.slice(0, one.begin) + head + plain.slice(end)), isAnswered: true };
}

/**
 * Returns the term in the single line comment after an open definition. A doc comment belongs to the next command
 * instead.
 */
function answerIn(behind: string): { readonly term: string } | { readonly problem: string } {
  const comments = (behind.match(COMMENT) ?? []).filter((comment) => !/^\/-[-!]/u.test(comment));
  const [comment] = comments;
  if (comment === undefined) return problem('the open definition has no comment with its answer');
  if (comments.length > 1 || comment.startsWith('/-')) return problem('the answer is not in one line comment');
  const term = comment.slice(2).trim();
  return isTerm(term) ? { term } : problem('the answer in the comment is no plain term');
}

/** Returns whether the text after `:=` can only be a term, or an error. */
function isTerm(text: string): boolean {
  if (text === '' || text.length > ANSWER_CHARS_MAX || NOT_IN_TERM.test(text) || OPEN.test(text)) return false;
  const open: string[] = [];
  for (const [index, character] of [...text].entries()) {
    if (BRACKETS[character] !== undefined) open.push(BRACKETS[character]);
    else if (CLOSING.has(character) && open.pop() !== character) return false;
    else if (character === ':' && open.length === 0 && [...text][index + 1] === '=') return false;
  }
  return open.length === 0;
}

function piecesOf(masked: MaskedSource): Piece[] {
  const commands: readonly Command[] = readCommands(masked);
  return commands.map(({ keyword, begin, end }, index) => ({
    keyword,
    begin,
    limit: commands[index + 1]?.begin ?? masked.code.length,
    code: masked.code.slice(begin, end),
  }));
}

/** Removes blanks at line ends, and repeated empty lines. */
function tidy(text: string): string {
  return text
    .replace(/[ \t]+$/gmu, '')
    .replace(/\n{3,}/gu, '\n\n')
    .trim();
}

const problem = (reason: string): { readonly problem: string } => ({ problem: reason });
