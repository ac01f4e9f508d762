/**
 * Refuses texts (proofs and untrusted statements) before Lean reads them. An accepted text is passed to Lean as printed
 * from the inspected tokens, so Lean gets what we read, even if we misread the original. The screen is a filter that
 * saves Lean's time and keeps each candidate's text within its lines. It never makes a proof count; axioms and the
 * kernel do.
 */
import {
  findDeceivingCharacter,
  findRefusedCharacter,
  nameParts,
  positionAt,
  type Token,
  tokenize,
} from '@stp/lean-text';
import { findEvaluated } from './configuration.ts';
import type { Finding } from './finding.ts';
import {
  FORBIDDEN_BEFORE_PERCENT,
  FORBIDDEN_BEGINNINGS,
  FORBIDDEN_CONSTANTS,
  FORBIDDEN_FLAGS,
  FORBIDDEN_TACTICS,
  FORBIDDEN_WORDS,
  SORRY_WORDS,
} from './forbidden.ts';
import { isInGroup, isName, localNames } from './local-names.ts';
import { findOption } from './options.ts';
import { findUnplain } from './plain-tokens.ts';
import { printTokens } from './print-tokens.ts';
import { findUnprinted, NO_OPTIONS, PROOF_OPTIONS } from './printed-text.ts';

export interface Refusal {
  readonly kind: 'forbidden' | 'sorry';
  /** 1-based line and 0-based column in the screened text. */
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

export type Screened =
  | {
      readonly accepted: true;
      /** Tokens without comments, with their offsets in the screened text. */
      readonly tokens: readonly Token[];
      /** These tokens and blanks: each token in its line and column (in code points). No line ends with a blank. */
      readonly printed: string;
    }
  | { readonly accepted: false; readonly refusal: Refusal };

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['⟨', '⟩'],
  ['⦃', '⦄'],
  ['⟦', '⟧'],
  ['‹', '›'],
]);
const OPENERS: ReadonlySet<string> = new Set(CLOSERS.keys());
const ALL_CLOSERS: ReadonlySet<string> = new Set(CLOSERS.values());
/** Matches a carriage return, or a tab that is not indentation; Lean accepts neither. */
const BEHIND_TOKEN = /\r|(?<=^[^\n]*)\t/u;
const TOLERANT: ReadonlySet<Token['kind']> = new Set(['comment', 'string', 'character', 'unterminated']);
/** Characters that could begin or end another token if Lean read the quote before them differently. */
const RISKY_CHARACTER = /["'«»{}()[\]⟨⟩/-]/;

/**
 * Lean skips white space after the opener of a doc comment, and comments count as white space, so the end of the doc
 * comment could be hidden in them. A string may be interpolated, and its holes may contain doc comments.
 */
const COMMENT_IN_DOC = /\/-[-!]\s*(?:--|\/-)/u;
const BEFORE_CHARACTER = /[\s([{⟨,]/u;
/** Matches keywords that take an interpolated string, some after an argument. */
const INTERPOLATES = /!$|^(?:throw|log)[A-Z]|^(?:trace|dbg_trace)/;

/** Tokens after which a tactic may start, as at the beginning of a line. */
const BEFORE_TACTIC: ReadonlySet<string> = new Set([
  'by',
  ';',
  '·',
  '.',
  '>',
  '(',
  '{',
  '|',
  'in',
  'do',
  'try',
  'repeat',
]);

/**
 * Screens a `text` of at most `charsMax` UTF-16 units, in which options are allowed or not. The length is checked
 * first, so that a huge text costs nothing. `names` are forbidden words that the text above has bound as names.
 */
export function screenText(
  text: string,
  charsMax: number,
  options: 'options' | 'no options',
  names: ReadonlySet<string> = new Set(),
): Screened {
  if (text.length > charsMax) {
    return refuse(text, { offset: 0, reason: `is ${text.length} characters long; at most ${charsMax} are read` }, true);
  }
  const tokens = tokenize(text);
  const code = tokens.filter((token) => token.kind !== 'comment');
  const finding =
    findCharacter(text, tokens) ??
    findAmbiguity(text, tokens) ??
    findForbidden(text, code, options === 'options', names.union(localNames(text, code))) ??
    findUnplain(text, tokens) ??
    findUnbalanced(code) ??
    findEvaluated(code);
  if (finding !== null) return refuse(text, finding);
  const printed = printTokens(text, tokens);
  const unprinted = findUnprinted(printed, options === 'options' ? PROOF_OPTIONS : NO_OPTIONS);
  // Lines and columns of the printed text equal those of the original.
  return unprinted === null ? { accepted: true, tokens: code, printed } : refuse(printed, unprinted);
}

export function refuse(text: string, finding: Finding, atStart = false): { accepted: false; refusal: Refusal } {
  const position = atStart ? { line: 1, column: 0 } : positionAt(text, finding.offset);
  return { accepted: false, refusal: { kind: finding.kind ?? 'forbidden', ...position, reason: finding.reason } };
}

/**
 * Finds a character that is not allowed at its position. Comments are not printed and literals are printed as escapes,
 * so they may contain every character that does not hide text. Between tokens only blanks, line breaks, and indenting
 * tabs are allowed.
 */
export function findCharacter(text: string, tokens: readonly Token[]): Finding | null {
  const found = (offset: number): Finding => {
    const code = text.codePointAt(offset)!.toString(16).toUpperCase().padStart(4, '0');
    return { offset, reason: `holds the character U+${code}, which a proof never needs` };
  };
  let end = 0;
  for (const token of tokens) {
    const bare = text.slice(end, token.start).search(end === 0 ? /\r/u : BEHIND_TOKEN);
    if (bare >= 0) return found(end + bare);
    const at = TOLERANT.has(token.kind) ? findDeceivingCharacter(token.text) : findRefusedCharacter(token.text);
    if (at >= 0) return found(token.start + at);
    end = token.end;
  }
  const bare = text.slice(end).search(BEHIND_TOKEN);
  return bare >= 0 ? found(end + bare) : null;
}

/** Finds text that Lean could tokenize differently, because of user syntax or another version. */
export function findAmbiguity(text: string, tokens: readonly Token[]): Finding | null {
  const interpolates = tokens.some(({ kind, text: word }) => kind === 'word' && INTERPOLATES.test(word));
  let code: Token | undefined;
  for (const [index, token] of tokens.entries()) {
    const adjacent = index > 0 && tokens[index - 1]!.end === token.start;
    const at = (reason: string): Finding => ({ offset: token.start, reason });
    const before = code;
    if (token.kind !== 'comment') code = token;
    if (token.kind === 'unterminated') return at('opens a comment, string or quoted name that does not end');
    if (token.ambiguous && (interpolates || mayInterpolate(before))) {
      return at('has a brace in a string that may be an interpolation: put the string in brackets');
    }
    if (token.kind === 'comment' && token.text.startsWith('/-/-')) return at('starts a comment that could be two');
    if (token.kind === 'comment' && COMMENT_IN_DOC.exec(token.text)?.index === 0) {
      return at('starts a doc comment with a comment: write a word first');
    }
    if (token.kind === 'string' && COMMENT_IN_DOC.test(token.text)) {
      return at('has a doc comment in a string that begins with a comment');
    }
    if (token.kind === 'comment' && adjacent && !isEnded(tokens[index - 1]!)) {
      return at('starts a comment without white space before it');
    }
    if (token.kind === 'word' && adjacent && tokens[index - 1]!.kind === 'number') {
      return at('runs a number into a word');
    }
    if (token.kind === 'word' && token.text.includes('\n')) return at('has a line break in a quoted name');
    const isGlued = adjacent && !BEFORE_CHARACTER.test(text[token.start - 1]!);
    if (token.kind === 'character' && isGlued && RISKY_CHARACTER.test(token.text.slice(1, -1))) {
      return at('has a quote or a bracket as a character');
    }
  }
  return null;
}

/**
 * Whether a token ends a term: no token that begins with `-` or `/` continues after a name, a number, a literal or a
 * closing bracket.
 */
function isEnded(token: Token): boolean {
  return token.kind !== 'symbol' || ALL_CLOSERS.has(token.text);
}

/**
 * Whether Lean may read the string after this token as interpolated: the token is a keyword that takes one, or its
 * argument.
 */
function mayInterpolate(before: Token | undefined): boolean {
  return before !== undefined && (before.kind !== 'symbol' || ALL_CLOSERS.has(before.text));
}

function findForbidden(
  text: string,
  tokens: readonly Token[],
  mayHaveOptions: boolean,
  names: ReadonlySet<string>,
): Finding | null {
  // A quote that Lean tokenizes differently would hide or expose the text after it.
  const hasQuote = tokens.some(({ kind, text: its }) => kind === 'character' && /["']/.test(its.slice(1, -1)));
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    const adjacent = next !== undefined && next.start === token.end;
    if (token.kind === 'word') {
      if (token.text === 'set_option' && !mayHaveOptions) {
        return { offset: token.start, reason: 'set_option has no place in a statement' };
      }
      if (names.has(token.text) && isName(text, tokens, index)) continue;
      // `open scoped A in` opens no scope of text.
      if (token.text === 'scoped' && tokens[index - 1]?.text === 'open') continue;
      const finding = findForbiddenWord(token) ?? findForbiddenUse(text, tokens, index);
      if (finding !== null) return hasQuote ? { ...finding, kind: 'forbidden' } : finding;
    } else if (token.kind === 'string') {
      // A reader that misreads the opening quote would read the string's content as code, so the content must be
      // harmless too.
      for (const word of tokenize(token.text.slice(1, -1))) {
        const finding = word.kind === 'word' && word.text !== 'set_option' ? findForbiddenWord(word) : null;
        if (finding !== null || word.text === 'set_option') {
          return { offset: token.start, reason: `has a string with the word ${word.text.slice(0, 40)}` };
        }
      }
    } else if (token.text === '#' && adjacent && next.kind === 'word' && !isVector(tokens, index)) {
      return { offset: token.start, reason: `#${next.text} is a command` };
    } else if (token.text === '@' && adjacent && next.text === '[') {
      return { offset: token.start, reason: '@[…] adds an attribute' };
    } else if (token.text === '`') {
      return { offset: token.start, reason: 'a quotation is program text' };
    }
  }
  return null;
}

/** Whether the tokens form `#v[…]`. */
function isVector(tokens: readonly Token[], index: number): boolean {
  const [letter, bracket] = [tokens[index + 1], tokens[index + 2]];
  return letter?.text === 'v' && bracket?.text === '[' && bracket.start === letter.end;
}

function findForbiddenWord(token: Token): Finding | null {
  const sorry = SORRY_WORDS.get(token.text);
  if (sorry !== undefined) return { offset: token.start, reason: `${token.text} ${sorry}`, kind: 'sorry' };
  const reason = FORBIDDEN_WORDS.get(token.text);
  if (reason !== undefined) return { offset: token.start, reason: `${token.text} ${reason}` };
  const beginning = FORBIDDEN_BEGINNINGS.find(([begins]) => token.text.startsWith(begins));
  if (beginning !== undefined) return { offset: token.start, reason: `${token.text.slice(0, 40)} ${beginning[1]}` };
  const parts = nameParts(token.text);
  for (const part of parts) {
    const constant = FORBIDDEN_CONSTANTS.get(part);
    if (constant !== undefined) {
      return { offset: token.start, reason: `${part} ${constant}`, kind: part === 'sorryAx' ? 'sorry' : 'forbidden' };
    }
  }
  return null;
}

/** Finds words that are refused at certain positions and are names elsewhere. */
function findForbiddenUse(text: string, tokens: readonly Token[], index: number): Finding | null {
  const { text: word, start: offset } = tokens[index]!;
  if (word === 'set_option') return findOption(tokens, index);
  const before = tokens[index - 1];
  const next = tokens[index + 1];
  const percent = FORBIDDEN_BEFORE_PERCENT.get(word);
  if (percent !== undefined && next?.text === '%' && next.start === tokens[index]!.end) {
    return { offset, reason: `${word}% ${percent}` };
  }
  const flag = FORBIDDEN_FLAGS.get(word);
  const assigns = next?.text === ':' && tokens[index + 2]?.text === '=';
  if (flag !== undefined && (before?.text === '+' || assigns)) return { offset, reason: `${word} ${flag}` };
  const tactic = FORBIDDEN_TACTICS.get(word);
  if (tactic === undefined || next?.text === ':' || isInGroup(tokens, index)) return null;
  const starts =
    before === undefined || BEFORE_TACTIC.has(before.text) || text.slice(before.end, offset).includes('\n');
  return starts ? { offset, reason: `${word} ${tactic}`, kind: word === 'stop' ? 'sorry' : 'forbidden' } : null;
}

function findUnbalanced(tokens: readonly Token[]): Finding | null {
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.kind !== 'symbol') continue;
    if (OPENERS.has(token.text)) open.push(token);
    else if (ALL_CLOSERS.has(token.text)) {
      const opener = open.pop();
      if (opener === undefined || CLOSERS.get(opener.text) !== token.text) {
        return { offset: token.start, reason: `${token.text} closes nothing that is open here` };
      }
    }
  }
  const left = open[0];
  return left === undefined ? null : { offset: left.start, reason: `${left.text} is never closed` };
}
