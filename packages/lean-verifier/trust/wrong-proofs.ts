/**
 * A copy of a file in which `sorry` stands in place of the proofs that Lean finds wrong, so that the other theorems can be judged. Lean
 * itself goes on so after an error: the wrong theorem keeps its statement. What rests on it rests on `sorry` then, and is refused.
 *
 *     theorem a : 1 = 1 := rfl               theorem a : 1 = 1 := rfl
 *     @[simp] theorem b : 1 = 2 := by   →    @[simp] theorem b : 1 = 2 := sorry
 *       decide
 *     theorem c : 1 = 1 := by simp           theorem c : 1 = 1 := by simp
 *
 * A proof is taken to end where a line begins that is indented no deeper than its theorem, or where something else is declared. Where
 * that is not clear there is no copy.
 */
import type { LeanMessage } from '@stp/config/records';
import { type Token, tokenize } from '@stp/lean-text';
import { SYNTAX } from './object/written-notation.ts';

/** The proof of one theorem that Lean finds wrong. 1-based lines of the file. */
export interface WrongProof {
  /** Of the word `theorem`, `lemma` or `example`. */
  readonly line: number;
  /** Where the text that `sorry` replaces begins and ends. */
  readonly fromLine: number;
  readonly toLine: number;
  /** The first error in it. */
  readonly message: LeanMessage;
}

export interface SparedFile {
  /** As many lines as the file. */
  readonly text: string;
  readonly wrong: readonly WrongProof[];
}

const PROVED: ReadonlySet<string> = new Set(['theorem', 'lemma', 'example']);
/** Words that begin a declaration or change what later text means, wherever they stand: nothing of that kind is part of a proof. */
const DECLARING: ReadonlySet<string> = new Set([
  ...'theorem lemma example def abbrev instance structure inductive class opaque axiom alias irreducible_def'.split(
    ' ',
  ),
  ...'private protected public noncomputable partial unsafe local scoped deriving attribute'.split(' '),
  ...'mutual namespace section end open export import variable universe include omit set_option seal unseal simproc'.split(
    ' ',
  ),
]);
/** Words with which a text makes commands of its own, or runs some. */
const COMMANDS: ReadonlySet<string> = new Set(
  'macro macro_rules elab elab_rules declare_syntax_cat run_cmd run_meta run_elab initialize builtin_initialize'.split(
    ' ',
  ),
);
/** Lines that begin so go on with the declaration above, however far to the left they stand. */
const CONTINUING: ReadonlySet<string> = new Set(['|', '·', 'termination_by', 'decreasing_by']);
const OPENING = '([{⟨';
const CLOSING = ')]}⟩';

/** Null where an error is outside of a proof, where the text declares syntax, or where a proof's place is not clear. */
export function spareOthers(text: string, messages: readonly LeanMessage[]): SparedFile | null {
  const tokens = tokenize(text).filter(({ kind }) => kind !== 'comment');
  if (tokens.some(({ text: word, kind }) => kind === 'unterminated' || SYNTAX.has(word) || COMMANDS.has(word)))
    return null;
  const places = new Places(text);
  const proofs = proofsOf(tokens, places);
  const wrong = new Map<Proof, LeanMessage>();
  for (const message of messages) {
    if (message.severity !== 'error') continue;
    const offset = places.offsetOf(message.line, message.column);
    const proof = proofs.find(({ start, to }) => start <= offset && offset <= to);
    if (proof === undefined) return null;
    if (!wrong.has(proof)) wrong.set(proof, message);
  }
  if (wrong.size === 0) return null;
  let copy = '';
  let end = 0;
  for (const { from, to } of proofs.filter((proof) => wrong.has(proof))) {
    copy += `${text.slice(end, from)} sorry${text.slice(from, to).replace(/[^\n]+/gu, '')}`;
    end = to;
  }
  return {
    text: copy + text.slice(end),
    wrong: [...wrong].map(([{ start, from, to }, message]) => ({
      ...{ line: places.lineOf(start), fromLine: places.lineOf(from), toLine: places.lineOf(to), message },
    })),
  };
}

/** Offsets of the word, of what stands behind `:=`, and of the proof's end. */
interface Proof {
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

function proofsOf(tokens: readonly Token[], places: Places): Proof[] {
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'word' || !PROVED.has(token.text)) return [];
    const column = places.indentOf(token.start);
    const rest = tokens.slice(index + 1);
    const stop = rest.findIndex((one, at) => isBoundary(one, rest[at - 1] ?? token, rest[at + 1], column, places));
    const own = stop < 0 ? rest : rest.slice(0, stop);
    const assigned = assignment(own);
    // Attributes, modifiers and comments of what follows stand in lines of their own, or are part of no proof.
    return assigned === null ? [] : [{ start: token.start, from: own[assigned]!.end, to: own.at(-1)!.end }];
  });
}

function isBoundary(token: Token, before: Token, after: Token | undefined, column: number, places: Places): boolean {
  if (token.kind === 'word' && DECLARING.has(token.text)) return true;
  // Attributes of what follows: one may make it an instance.
  if (token.text === '@' && after?.text === '[') return true;
  const isFirst = places.lineOf(before.start) < places.lineOf(token.start);
  return isFirst && places.indentOf(token.start) <= column && !CONTINUING.has(token.text);
}

/** Place of the `=` of the first `:=` outside brackets. */
function assignment(tokens: readonly Token[]): number | null {
  let depth = 0;
  for (const [index, { kind, text, start }] of tokens.entries()) {
    if (kind !== 'symbol') continue;
    if (OPENING.includes(text)) depth += 1;
    if (CLOSING.includes(text)) depth -= 1;
    const colon = tokens[index - 1];
    if (depth === 0 && text === '=' && colon?.text === ':' && colon.end === start) return index;
  }
  return null;
}

/** Lines and columns of a text. Columns count characters, as Lean does. */
class Places {
  readonly #lines: readonly string[];
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#lines = text.split('\n');
    let start = 0;
    this.#starts = this.#lines.map((line) => {
      const own = start;
      start += line.length + 1;
      return own;
    });
  }

  /** @param line 1-based @param column 0-based */
  offsetOf(line: number, column: number): number {
    return (this.#starts[line - 1] ?? 0) + [...(this.#lines[line - 1] ?? '')].slice(0, column).join('').length;
  }

  lineOf(offset: number): number {
    const after = this.#starts.findIndex((start) => start > offset);
    return after < 0 ? this.#lines.length : after;
  }

  /** Blanks at the beginning of the line in which an offset is. */
  indentOf(offset: number): number {
    const line = this.#lines[this.lineOf(offset) - 1]!;
    return line.length - line.trimStart().length;
  }
}
