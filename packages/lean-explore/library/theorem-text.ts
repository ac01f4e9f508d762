/**
 * Splits the text of a theorem into signature and tactic block. Texts have no comments. Offsets refer to the masked
 * code, which has no brackets and no `:=` inside literals.
 */
import { proofSigns } from '@stp/lean-text';

export interface TheoremText {
  readonly name: string;
  /** `theorem NAME BINDERS : TYPE`, without white space at line ends. */
  readonly statement: string;
  /** Tactic block, with its first tactic in column 2. */
  readonly proof: string;
}

/** Why a theorem cannot be used as an example. */
export type SkipReason = 'term proof' | 'pattern-matching proof' | 'variables in force' | 'no name' | 'too long';

const KEYWORD = /^(?:theorem|lemma)\s+/;
const NAME = /^(?:«[^»]*»|[\p{L}_][\p{L}\p{N}_'!?₀-₉]*)(?:\.(?:«[^»]*»|[\p{L}_][\p{L}\p{N}_'!?₀-₉]*))*/u;
const OPENING = '([{⟨⦃';
const CLOSING = ')]}⟩⦄';
/** Matches a dotted name, a word, or a relevant sign. */
const SIGN = /[\p{L}_][\p{L}\p{N}_'.!?₀-₉]*|:=|←/uy;
/** Column of the first tactic, as in `Sample.proof`. */
const TACTIC_COLUMN = 2;

/** The signature of a theorem, and the offset of its proof. */
export interface Signature {
  readonly name: string;
  readonly statement: string;
  /** Offset of the `:=` in the text. */
  readonly assignment: number;
}

/** `text` and `code` start at the keyword and have the same length. */
export function splitTheorem(text: string, code: string): TheoremText | SkipReason {
  const signature = splitSignature(text, code);
  if (typeof signature === 'string') return signature;
  const { name, statement, assignment } = signature;
  const by = /^:=\s*by(?=\s)/.exec(code.slice(assignment));
  if (by === null) return 'term proof';
  return { name, statement, proof: tacticBlock(text, assignment + by[0].length) };
}

/** Returns the signature, for any proof that starts with `:=`. `text` and `code` are as in `splitTheorem`. */
export function splitSignature(text: string, code: string): Signature | SkipReason {
  const keyword = KEYWORD.exec(code)?.[0];
  const name = keyword === undefined ? undefined : NAME.exec(text.slice(keyword.length))?.[0];
  if (keyword === undefined || name === undefined) return 'no name';
  const assignment = proofAssignment(code, keyword.length + name.length);
  if (assignment < 0) return 'pattern-matching proof';
  return {
    name,
    statement: `theorem ${dropBlankLines(text.slice(keyword.length, assignment)).trim()}`,
    assignment,
  };
}

/** Returns the offset of the `:=` that ends the signature; -1 if there is none, or if a `|` alternative precedes it. */
function proofAssignment(code: string, start: number): number {
  let depth = 0;
  const isProof = proofSigns();
  for (let index = start; index < code.length; index++) {
    const character = code[index]!;
    if (character === '«') index = Math.max(index, code.indexOf('»', index));
    else if (OPENING.includes(character)) depth++;
    else if (CLOSING.includes(character)) depth--;
    if (depth !== 0) continue;
    SIGN.lastIndex = index;
    const sign = SIGN.exec(code)?.[0] ?? character;
    if (isProof(sign)) return index;
    if (/^\n\s*\|\s/.test(code.slice(index, index + 80))) return -1;
    index += sign.length - 1;
  }
  return -1;
}

/**
 * Returns the lines after `by`, moved so that the first tactic is in column 2; the others keep their relative columns.
 */
function tacticBlock(text: string, start: number): string {
  const rest = text.slice(start);
  const leading = /^\s*/.exec(rest)![0];
  const tactics = rest.slice(leading.length);
  const lineStart = text.lastIndexOf('\n', start + leading.length - 1) + 1;
  const column = start + leading.length - lineStart;
  const startsLine = leading.includes('\n');
  const lines = dropBlankLines(tactics).split('\n');
  const others = lines.slice(1).map((line) => line.length - line.trimStart().length);
  // After `:= by tactic`, later lines in a smaller column continue that tactic, so they must stay to the right of it.
  const from = startsLine || Math.min(...others) >= column ? column : Math.min(...others) - TACTIC_COLUMN;
  const move = (line: string, indentation: number) => {
    const moved = indentation - from + TACTIC_COLUMN;
    return ' '.repeat(Math.max(moved, TACTIC_COLUMN + (indentation === column ? 0 : 1))) + line.trimStart();
  };
  return [
    ' '.repeat(TACTIC_COLUMN) + lines[0]!,
    ...lines.slice(1).map((line, index) => move(line, others[index]!)),
  ].join('\n');
}

function dropBlankLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');
}
