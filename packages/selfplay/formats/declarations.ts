/**
 * Reads the Lean text of a code block just far enough to find its declarations, their signatures and proofs. Commands are
 * found at column 0. Nothing here decides what is proved: the text that is cut out goes under our statement and to Lean.
 */

import { declarationHead, proofAssignment, statementPieces, type TextPiece, tokenize } from '@stp/lean-text';
import { displayProof } from '../prompts.ts';
import { ScopeReader } from './scope.ts';

const THEOREM_WORDS = 'theorem|lemma';
/** Commands that add what a proof cannot bring along. */
const ADDING_WORDS =
  'def|abbrev|axiom|opaque|instance|structure|inductive|class|notation|macro|macro_rules|syntax|declare_syntax_cat|elab|' +
  'elab_rules|simproc|alias|infixl|infixr|infix|prefix|postfix';
const OTHER_WORDS =
  'example|end|namespace|section|open|variables?|universes?|set_option|import|noncomputable|private|protected|attribute|' +
  'local|scoped|mutual|unsafe|partial|nonrec';
/** At column 0. */
const COMMAND = new RegExp(`^(?:(?:${THEOREM_WORDS}|${ADDING_WORDS}|${OTHER_WORDS})(?![\\w.'])|[@#])`, 'gmu');
const DECLARING = new RegExp(`(?<![\\w.'])(?:${THEOREM_WORDS}|${ADDING_WORDS})(?![\\w.'])`, 'u');
const IS_THEOREM = new RegExp(`^(?:${THEOREM_WORDS})$`, 'u');
/**
 * Texts that may hide a comment's opening, and the openings. A text without an end reaches to the end, so that nothing is read
 * twice.
 */
const COMMENTS = /"(?:[^"\\]|\\.?)*"?|'(?:[^'\\\n]|\\.)'|«[^»\n]*»?|--[^\n]*|\/-/gsu;
/** Before a tactic block. */
const BY = /^by(?![\p{L}\p{N}_'.!?])/u;
/** Characters of a text that are searched first for the end of a statement. */
const STATEMENT_CHARS = 512;

export interface TheoremDeclaration {
  readonly kind: 'theorem';
  readonly name: string;
  /** Binders and type, as they stand there: what is between the name and `:=`. */
  readonly signature: string;
  /** The text after `:=`, with its columns, `by` included; null where the proof has another form (`| 0 => …`, none). */
  readonly proof: string | null;
  /** The opens in force there, and the other commands, as of `ScopeReader`. */
  readonly opens: readonly string[];
  readonly others: readonly string[];
}

/** Something other than a theorem that the block adds. */
export interface OtherDeclaration {
  readonly kind: 'other';
  /** `def`, `axiom`, … */
  readonly word: string;
  /** From that word on. */
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

/** Returns what is in force below a text of commands. */
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

/** Equal tokens: white space and comments do not count. */
export function sameTokens(left: string, right: string): boolean {
  const [ours, theirs] = [left, right].map((text) =>
    tokenize(text).flatMap(({ kind, text: token }) => (kind === 'comment' ? [] : [token])),
  );
  return ours!.length === theirs!.length && ours!.every((token, index) => token === theirs![index]);
}

/** The proof as a tactic block at column 0. */
export function tacticBlock(proof: string): string {
  const start = proof.length - proof.trimStart().length;
  const by = BY.exec(proof.slice(start))?.[0];
  if (by === undefined) return `exact\n${indent(leftAligned(blanked(proof, start)))}`;
  return leftAligned(blanked(proof, start + by.length));
}

/** A block at column 0 whose first line may stand behind other text. */
function leftAligned(block: string): string {
  const [first, ...others] = block.trimEnd().split('\n');
  const rest = displayProof(others.join('\n'));
  if (first!.trim() === '' || rest === '') return displayProof(block);
  // The first line stands behind `by` or `:=`: lines left of it continue it, and stay right of it when it moves to column 0.
  const continues = others.some((line) => line.trim() !== '' && columnOf(line) < columnOf(first!));
  return continues ? `${first!.trim()}\n${indent(rest)}` : displayProof(block);
}

/** Two columns to the right. */
export function indent(text: string): string {
  return text.replace(/^(?=.)/gmu, '  ');
}

const columnOf = (line: string): number => line.length - line.trimStart().length;

/** Does the text name `sorry` outside comments? */
export function hasSorry(text: string): boolean {
  return tokenize(text).some(({ kind, text: token }) => kind === 'word' && /^(?:sorry|admit)$/u.test(token));
}

/** `plain` from the keyword at `start` on; null without a name or a colon. */
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

/** The `:=` of a proof. Statements are short beside their proofs, so not all of the text is read. */
function assignmentIn(text: string): TextPiece | undefined {
  for (let length = STATEMENT_CHARS; ; length *= 4) {
    const { pieces } = statementPieces(text.slice(0, length));
    const assignment = pieces[proofAssignment(pieces)];
    if (assignment !== undefined || length >= text.length) return assignment;
  }
}

/** The text from `start` on, blanks before it on its line. */
function blanked(text: string, start: number): string {
  const line = text.lastIndexOf('\n', start - 1) + 1;
  return ' '.repeat(start - line) + text.slice(start);
}

/** Comments as blanks, so that offsets and columns stay. A block comment may hold others; one without an end reaches to the end. */
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
