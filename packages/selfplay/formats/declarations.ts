/**
 * Reads the Lean text of a code block just far enough to find its declarations with their signatures and proofs.
 * Commands are found at column 0. Nothing here decides what is proved: the extracted text is checked by Lean under our
 * statement.
 */

import { declarationHead, proofAssignment, statementPieces, type TextPiece, tokenize } from '@stp/lean-text';
import { displayProof } from '../prompts.ts';
import { ScopeReader } from './scope.ts';

const THEOREM_WORDS = 'theorem|lemma';
/** Commands whose effect a proof cannot include. */
const ADDING_WORDS =
  'def|abbrev|axiom|opaque|instance|structure|inductive|class|notation|macro|macro_rules|syntax|declare_syntax_cat|elab|' +
  'elab_rules|simproc|alias|infixl|infixr|infix|prefix|postfix';
const OTHER_WORDS =
  'example|end|namespace|section|open|variables?|universes?|set_option|import|noncomputable|private|protected|attribute|' +
  'local|scoped|mutual|unsafe|partial|nonrec';
/** Matches a command at column 0. */
const COMMAND = new RegExp(`^(?:(?:${THEOREM_WORDS}|${ADDING_WORDS}|${OTHER_WORDS})(?![\\w.'])|[@#])`, 'gmu');
const DECLARING = new RegExp(`(?<![\\w.'])(?:${THEOREM_WORDS}|${ADDING_WORDS})(?![\\w.'])`, 'u');
const IS_THEOREM = new RegExp(`^(?:${THEOREM_WORDS})$`, 'u');
/**
 * Matches comment openings, and texts that may contain one. A text without an end reaches to the end of input, so
 * nothing is read twice.
 */
const COMMENTS = /"(?:[^"\\]|\\.?)*"?|'(?:[^'\\\n]|\\.)'|«[^»\n]*»?|--[^\n]*|\/-/gsu;
/** Matches the keyword before a tactic block. */
const BY = /^by(?![\p{L}\p{N}_'.!?])/u;
/** Length of the prefix that is searched first for the end of a statement. */
const STATEMENT_CHARS = 512;

export interface TheoremDeclaration {
  readonly kind: 'theorem';
  readonly name: string;
  /** Binders and type as written: the text between the name and `:=`. */
  readonly signature: string;
  /** The text after `:=`, including `by`, with its columns; null if the proof has another form (`| 0 => …`, none). */
  readonly proof: string | null;
  /** The opens in force at the theorem, and the other commands, as in `ScopeReader`. */
  readonly opens: readonly string[];
  readonly others: readonly string[];
}

/** A declaration of the block other than a theorem. */
export interface OtherDeclaration {
  readonly kind: 'other';
  /** Keyword: `def`, `axiom`, … */
  readonly word: string;
  /** The text from the keyword on. */
  readonly text: string;
}

export function declarationsIn(code: string): (TheoremDeclaration | OtherDeclaration)[] {
  const plain = withoutComments(displayProof(code));
  const starts = Array.from(plain.matchAll(COMMAND), ({ index }) => index);
  const scope = new ScopeReader();
  return starts.flatMap((start, at): (TheoremDeclaration | OtherDeclaration)[] => {
    const segment = plain.slice(start, starts[at + 1]).trimEnd();
    const word = DECLARING.exec(segment);
    scope.read(segment.slice(0, word?.index), word !== null);
    if (word === null) return [];
    const inForce = scope.take();
    if (!IS_THEOREM.test(word[0])) return [{ kind: 'other', word: word[0], text: segment.slice(word.index) }];
    const declaration = theoremIn(segment, word.index);
    return declaration === null ? [] : [{ ...declaration, ...inForce }];
  });
}

/** Returns the scope after a text of commands. */
export function scopeBelow(code: string): Pick<TheoremDeclaration, 'opens' | 'others'> {
  const plain = withoutComments(code);
  const starts = Array.from(plain.matchAll(COMMAND), ({ index }) => index);
  const scope = new ScopeReader();
  for (const [at, start] of starts.entries()) {
    const segment = plain.slice(start, starts[at + 1]);
    scope.read(segment, DECLARING.test(segment));
  }
  return scope.take();
}

/** Compares tokens, ignoring white space and comments. */
export function sameTokens(left: string, right: string): boolean {
  const [ours, theirs] = [left, right].map((text) =>
    tokenize(text).flatMap(({ kind, text: token }) => (kind === 'comment' ? [] : [token])),
  );
  return ours!.length === theirs!.length && ours!.every((token, index) => token === theirs![index]);
}

/** Returns the proof as a tactic block at column 0. */
export function tacticBlock(proof: string): string {
  const start = proof.length - proof.trimStart().length;
  const by = BY.exec(proof.slice(start))?.[0];
  if (by === undefined) return `exact\n${indent(leftAligned(blanked(proof, start)))}`;
  return leftAligned(blanked(proof, start + by.length));
}

/** Moves a block to column 0; its first line may follow other text. */
function leftAligned(block: string): string {
  const [first, ...others] = block.trimEnd().split('\n');
  const rest = displayProof(others.join('\n'));
  if (first!.trim() === '' || rest === '') return displayProof(block);
  // The first line follows `by` or `:=`. Lines to the left of it continue it, and must stay to the right of it when it
  // moves to column 0.
  const continues = others.some((line) => line.trim() !== '' && columnOf(line) < columnOf(first!));
  return continues ? `${first!.trim()}\n${indent(rest)}` : displayProof(block);
}

/** Indents by two columns. */
export function indent(text: string): string {
  return text.replace(/^(?=.)/gmu, '  ');
}

const columnOf = (line: string): number => line.length - line.trimStart().length;

/** Does the text name `sorry` outside comments? */
export function hasSorry(text: string): boolean {
  return tokenize(text).some(({ kind, text: token }) => kind === 'word' && /^(?:sorry|admit)$/u.test(token));
}

/** Reads a theorem of `plain` from the keyword at `start`; null without a name or a colon. */
function theoremIn(plain: string, start: number): Omit<TheoremDeclaration, 'opens' | 'others'> | null {
  const text = plain.slice(start);
  const head = declarationHead(text);
  if (head === null) return null;
  const rest = text.slice(head.text.length);
  const assignment = assignmentIn(rest);
  if (assignment === undefined) return { kind: 'theorem', name: head.name, signature: rest.trim(), proof: null };
  const proofStart = start + head.text.length + assignment.at + assignment.text.length;
  return {
    kind: 'theorem',
    name: head.name,
    signature: rest.slice(0, assignment.at).trim(),
    proof: blanked(plain, proofStart),
  };
}

/** Returns the `:=` before a proof. Statements are short compared with their proofs, so not all of the text is read. */
function assignmentIn(text: string): TextPiece | undefined {
  for (let length = STATEMENT_CHARS; ; length *= 4) {
    const { pieces } = statementPieces(text.slice(0, length));
    const assignment = pieces[proofAssignment(pieces)];
    if (assignment !== undefined || length >= text.length) return assignment;
  }
}

/** Returns the text from `start` on, with blanks before it on its line. */
function blanked(text: string, start: number): string {
  const line = text.lastIndexOf('\n', start - 1) + 1;
  return ' '.repeat(start - line) + text.slice(start);
}

/**
 * Replaces comments by blanks, so offsets and columns stay. A block comment may contain others; one without an end
 * reaches to the end of the text.
 */
function withoutComments(text: string): string {
  let plain = '';
  let from = 0;
  COMMENTS.lastIndex = 0;
  for (let match = COMMENTS.exec(text); match !== null; match = COMMENTS.exec(text)) {
    const start = match.index;
    if (match[0] !== '/-' && !match[0].startsWith('--')) continue;
    const end = match[0] === '/-' ? blockCommentEnd(text, start) : start + match[0].length;
    plain += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/gu, ' ');
    from = end;
    COMMENTS.lastIndex = end;
  }
  return plain + text.slice(from);
}

function blockCommentEnd(text: string, start: number): number {
  let depth = 0;
  const marks = /\/-|-\//gu;
  // The character after the opening belongs to it: `/--/` is not closed.
  marks.lastIndex = start + 3;
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    depth += match[0] === '/-' ? 1 : -1;
    if (depth < 0) return match.index + match[0].length;
  }
  return text.length;
}
