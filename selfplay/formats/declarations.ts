/**
 * Reads the Lean text of a code block just far enough to find its declarations, their signatures and proofs. Commands are
 * found at column 0. Nothing here decides what is proved: the text that is cut out goes under our statement and to Lean.
 */
import { declarationHead } from '../../data/schemas/declaration-head.ts';
import { type Token, tokenize } from '../../lean/trust/screen/tokenizer.ts';
import { displayProof } from '../prompts.ts';
import { proofAssignment, statementPieces } from '../statement-text.ts';

const THEOREM_WORDS: ReadonlySet<string> = new Set(['theorem', 'lemma']);
/** Commands that add what a proof cannot bring along. */
const ADDING_WORDS: ReadonlySet<string> = new Set(
  'def abbrev axiom opaque instance structure inductive class notation macro syntax elab infixl infixr infix prefix postfix'.split(
    ' ',
  ),
);
const OTHER_WORDS: ReadonlySet<string> = new Set(
  (
    'example end namespace section open variable variables universe universes set_option import noncomputable private ' +
    'protected attribute local scoped mutual unsafe partial nonrec'
  ).split(' '),
);

export interface TheoremDeclaration {
  readonly kind: 'theorem';
  readonly name: string;
  /** Binders and type, as they stand there: what is between the name and `:=`. */
  readonly signature: string;
  /** What follows `:=`, with its columns, `by` included; null where the proof has another form (`| 0 => …`, none). */
  readonly proof: string | null;
}

/** Something other than a theorem that the block adds. */
export interface OtherDeclaration {
  readonly kind: 'other';
  /** `def`, `axiom`, … */
  readonly word: string;
}

export function declarationsIn(code: string): (TheoremDeclaration | OtherDeclaration)[] {
  const text = displayProof(code);
  const tokens = tokenize(text);
  const plain = withoutComments(text, tokens);
  const starts = tokens.flatMap((token, index) => (isCommand(text, token) ? [index] : []));
  return starts.flatMap((first, index): (TheoremDeclaration | OtherDeclaration)[] => {
    const segment = tokens.slice(first, starts[index + 1] ?? tokens.length);
    const last = segment.findLast(({ kind }) => kind !== 'comment')!;
    const word = segment.find(({ text: it }) => THEOREM_WORDS.has(it) || ADDING_WORDS.has(it));
    if (word === undefined) return [];
    if (!THEOREM_WORDS.has(word.text)) return [{ kind: 'other', word: word.text }];
    const declaration = theoremIn(plain.slice(0, last.end), word.start);
    return declaration === null ? [] : [declaration];
  });
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
  const [by] = tokenize(proof.slice(start));
  if (by?.text !== 'by') return `exact\n${indent(leftAligned(blanked(proof, start)))}`;
  return leftAligned(blanked(proof, start + by.end));
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
function theoremIn(plain: string, start: number): TheoremDeclaration | null {
  const text = plain.slice(start);
  const head = declarationHead(text);
  if (head === null) return null;
  const rest = text.slice(head.text.length);
  const { pieces } = statementPieces(rest);
  const assignment = pieces[proofAssignment(pieces)];
  if (assignment === undefined) return { kind: 'theorem', name: head.name, signature: rest.trim(), proof: null };
  const proofStart = start + head.text.length + assignment.at + assignment.text.length;
  return {
    kind: 'theorem',
    name: head.name,
    signature: rest.slice(0, assignment.at).trim(),
    proof: blanked(plain, proofStart),
  };
}

/** The text from `start` on, blanks before it on its line. */
function blanked(text: string, start: number): string {
  const line = text.lastIndexOf('\n', start - 1) + 1;
  return ' '.repeat(start - line) + text.slice(start);
}

/** Comments as blanks, so that offsets and columns stay. */
function withoutComments(text: string, tokens: readonly Token[]): string {
  let plain = '';
  let offset = 0;
  for (const { kind, start, end } of tokens) {
    if (kind !== 'comment') continue;
    plain += text.slice(offset, start) + text.slice(start, end).replace(/[^\n]/gu, ' ');
    offset = end;
  }
  return plain + text.slice(offset);
}

function isCommand(text: string, { kind, start, text: token }: Token): boolean {
  if (start > 0 && text[start - 1] !== '\n') return false;
  if (kind === 'symbol') return token === '@' || token === '#';
  return kind === 'word' && (THEOREM_WORDS.has(token) || ADDING_WORDS.has(token) || OTHER_WORDS.has(token));
}
