/**
 * Screens a header: it may have imports, opens, options, universes and variables, and nothing that declares or runs.
 * Lean gets a header printed from its tokens.
 */
import { findRefusedCharacter } from './characters.ts';
import { findEvaluated } from './configuration.ts';
import {
  FORBIDDEN_BEGINNINGS,
  FORBIDDEN_CONSTANTS,
  FORBIDDEN_WORDS,
  HEADER_COMMANDS,
  HEADER_OPTIONS,
  SORRY_WORDS,
} from './forbidden.ts';
import { findUnplain } from './plain-tokens.ts';
import { printTokens } from './print-tokens.ts';
import { findUnprinted } from './printed-text.ts';
import { nameParts, positionAt, type Token, tokenize } from './tokenizer.ts';

/** As in `statementSchema`. */
const HEADER_CHARS_MAX = 4_096;

export type ScreenedHeader =
  | {
      readonly accepted: true;
      /** The header printed from its tokens, each in its line and column. */
      readonly text: string;
    }
  | {
      readonly accepted: false;
      /** With its place. */
      readonly reason: string;
    };

const OPTIONS = new RegExp(
  `^set_option\\s+(?:${HEADER_OPTIONS.map((name) => name.replaceAll('.', '\\.')).join('|')})`,
  'u',
);

/** Is the header fit to stand above a candidate, and what is it then? */
export function screenHeader(header: string): ScreenedHeader {
  if (header.length > HEADER_CHARS_MAX) return refuse(`the header is longer than ${HEADER_CHARS_MAX} characters`);
  const text = header.replaceAll('\r\n', '\n');
  const character = findRefusedCharacter(text);
  if (character >= 0) return refuseAt(text, character, 'a character no header needs');
  // Comments are not printed, doc comments neither: what a header declares is never looked up.
  const tokens = tokenize(text).filter((token) => token.kind !== 'comment');
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'unterminated') return refuseAt(text, token.start, 'a comment or string that does not end');
    if (index === 0 && !HEADER_COMMANDS.has(token.text)) {
      return refuseAt(text, token.start, `${token.text.slice(0, 40)} is no header command`);
    }
    if (tokens[index - 1]?.text === 'set_option' && !HEADER_OPTIONS.some((option) => token.text.startsWith(option))) {
      return refuseAt(text, token.start, `the option ${token.text.slice(0, 40)} has no place in a header`);
    }
    if (isRefused(token)) return refuseAt(text, token.start, `${token.text.slice(0, 40)} has no place in a header`);
  }
  const unplain = findUnplain(text, tokens) ?? findEvaluated(tokens);
  if (unplain !== null) return refuseAt(text, unplain.offset, unplain.reason);
  const printed = printTokens(text, tokens);
  const unprinted = findUnprinted(printed, OPTIONS);
  if (unprinted !== null) return refuseAt(printed, unprinted.offset, unprinted.reason);
  return { accepted: true, text: printed };
}

function isRefused(token: Token): boolean {
  if (token.text === '#' || token.text === '@' || token.text === '`') return true;
  if (token.kind !== 'word' || HEADER_COMMANDS.has(token.text)) return false;
  const isConstant = nameParts(token.text).some((part) => FORBIDDEN_CONSTANTS.has(part));
  const isCommand = FORBIDDEN_BEGINNINGS.some(([begins]) => token.text.startsWith(begins));
  return isConstant || isCommand || FORBIDDEN_WORDS.has(token.text) || SORRY_WORDS.has(token.text);
}

function refuse(reason: string): ScreenedHeader {
  return { accepted: false, reason };
}

function refuseAt(text: string, offset: number, reason: string): ScreenedHeader {
  const { line, column } = positionAt(text, offset);
  return refuse(`header:${line}:${column}: ${reason}`);
}

/** `open` and `namespace` names of a header, for resolving premises: `open Nat List` gives both. */
export function openedNamespaces(header: string): string[] {
  const names: string[] = [];
  for (const match of header.matchAll(/^\s*(?:open|namespace)\s+(?:scoped\s+)?([^\n(]+)/gmu)) {
    names.push(...match[1]!.split(/\s+/).filter((name) => name !== '' && name !== 'in' && name !== 'hiding'));
  }
  return names;
}
