/** Screens a header: imports, opens, options, universes and variables, nothing that declares or runs. */

import { findRefusedCharacter } from './characters.ts';
import { FORBIDDEN_CONSTANTS, FORBIDDEN_WORDS, HEADER_COMMANDS, HEADER_OPTIONS, SORRY_WORDS } from './forbidden.ts';
import { positionAt, type Token, tokenize } from './tokenizer.ts';

/** As in `statementSchema`. */
const HEADER_CHARS_MAX = 4_096;

/** Null where the header is fit to stand above a candidate, else the reason with its place. */
export function screenHeader(header: string): string | null {
  if (header.length > HEADER_CHARS_MAX) return `the header is longer than ${HEADER_CHARS_MAX} characters`;
  const text = header.replaceAll('\r\n', '\n');
  const character = findRefusedCharacter(text);
  if (character >= 0) return at(text, character, 'a character no header needs');
  const tokens = tokenize(text).filter((token) => token.kind !== 'comment');
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'unterminated') return at(text, token.start, 'a comment or string that does not end');
    if (index === 0 && !HEADER_COMMANDS.has(token.text)) {
      return at(text, token.start, `${token.text.slice(0, 40)} is no header command`);
    }
    if (tokens[index - 1]?.text === 'set_option' && !HEADER_OPTIONS.some((option) => token.text.startsWith(option))) {
      return at(text, token.start, `the option ${token.text.slice(0, 40)} has no place in a header`);
    }
    if (isRefused(token)) return at(text, token.start, `${token.text.slice(0, 40)} has no place in a header`);
  }
  return null;
}

function isRefused(token: Token): boolean {
  if (token.text === '#' || token.text === '@' || token.text === '`') return true;
  if (token.kind !== 'word' || HEADER_COMMANDS.has(token.text)) return false;
  return FORBIDDEN_WORDS.has(token.text) || SORRY_WORDS.has(token.text) || FORBIDDEN_CONSTANTS.has(token.text);
}

function at(text: string, offset: number, reason: string): string {
  const { line, column } = positionAt(text, offset);
  return `header:${line}:${column}: ${reason}`;
}

/** `open` and `namespace` names of a header, for resolving premises: `open Nat List` gives both. */
export function openedNamespaces(header: string): string[] {
  const names: string[] = [];
  for (const match of header.matchAll(/^\s*(?:open|namespace)\s+(?:scoped\s+)?([^\n(]+)/gmu)) {
    names.push(...match[1]!.split(/\s+/).filter((name) => name !== '' && name !== 'in' && name !== 'hiding'));
  }
  return names;
}
