/**
 * Screens a header. It may contain imports (also after `prelude`), opens, options, universes and variables, followed by
 * definitions (`def`, `abbrev`), which are screened like proofs. It may contain no other declarations, and no code that
 * runs. Lean gets a header printed from its tokens.
 */
import { HEADER_CHARS_MAX } from '@stp/config/records';
import { nameParts, positionAt, type Token, tokenize } from '@stp/lean-text';
import { DEFINITION_OPTIONS } from '../header.ts';
import { implicitLines } from '../stated-form.ts';
import { findEvaluated } from './configuration.ts';
import type { Finding } from './finding.ts';
import {
  FORBIDDEN_BEGINNINGS,
  FORBIDDEN_CONSTANTS,
  FORBIDDEN_WORDS,
  HEADER_COMMANDS,
  HEADER_OPTIONS,
  SORRY_WORDS,
} from './forbidden.ts';
import { isName, localNames } from './local-names.ts';
import { findUnplain } from './plain-tokens.ts';
import { printTokens } from './print-tokens.ts';
import { findUnprinted } from './printed-text.ts';
import { findAmbiguity, findCharacter, screenText } from './screen-text.ts';

export type ScreenedHeader =
  | {
      readonly accepted: true;
      /**
       * The header printed from its tokens, each in its line and column. `DEFINITION_OPTIONS` precede its definitions.
       */
      readonly text: string;
    }
  | {
      readonly accepted: false;
      readonly reason: string;
    };

const DEFINITIONS: ReadonlySet<string> = new Set(['def', 'abbrev']);

const OPTIONS = new RegExp(
  `^set_option\\s+(?:${HEADER_OPTIONS.map((name) => name.replaceAll('.', '\\.')).join('|')})`,
  'u',
);

/** Returns whether the header may stand above a candidate, and its printed text. */
export function screenHeader(header: string): ScreenedHeader {
  if (header.length > HEADER_CHARS_MAX) return refuse(`the header is longer than ${HEADER_CHARS_MAX} characters`);
  const text = header.replaceAll('\r\n', '\n');
  // Comments are not printed, not even doc comments: nothing looks up what a header declares.
  const all = tokenize(text);
  const character = findCharacter(text, all);
  if (character !== null) return refuseAt(text, character.offset, character.reason);
  const tokens = all.filter((token) => token.kind !== 'comment');
  const names = localNames(text, tokens);
  const last = tokens.at(-1);
  // Here a command of ours follows the header, but in a file the statement would.
  if (last?.text === 'in') return refuseAt(text, last.start, '`in` joins the header to what stands below it');
  const isPrelude = tokens[0]?.text === 'prelude';
  if (isPrelude && tokens[1]?.text !== 'import')
    return refuseAt(text, tokens[0]!.start, 'prelude without an import leaves out all that statements are made of');
  for (const [index, token] of tokens.entries()) {
    if (isPrelude && index === 0) continue;
    if (token.kind === 'unterminated') return refuseAt(text, token.start, 'a comment or string that does not end');
    if (index === 0 && !HEADER_COMMANDS.has(token.text)) {
      return refuseAt(text, token.start, `${token.text.slice(0, 40)} is no header command`);
    }
    if (tokens[index - 1]?.text === 'set_option' && !HEADER_OPTIONS.some((option) => token.text.startsWith(option))) {
      return refuseAt(text, token.start, `the option ${token.text.slice(0, 40)} has no place in a header`);
    }
    if (isRefused(token) && !(names.has(token.text) && isName(text, tokens, index)))
      return refuseAt(text, token.start, `${token.text.slice(0, 40)} has no place in a header`);
  }
  const at = firstDefinition(tokens);
  const unplain =
    findAmbiguity(text, all) ?? findUnplain(text, tokens) ?? findEvaluated(tokens) ?? findMisplaced(tokens, at);
  if (unplain !== null) return refuseAt(text, unplain.offset, unplain.reason);
  const printed = printTokens(text, tokens);
  const unprinted = findUnprinted(printed, OPTIONS);
  if (unprinted !== null) return refuseAt(printed, unprinted.offset, unprinted.reason);
  if (at < 0) return { accepted: true, text: printed };
  const above = printTokens(text, tokens.slice(0, at)).trimEnd();
  // Print the first definition in its line and column, without the text before it.
  const below = printTokens(text, tokens.slice(at));
  const screened = screenText(withoutCommands(below), below.length, 'no options', localNames(text, tokens));
  if (!screened.accepted) return refuse(`header:${located(screened.refusal)}`);
  // `DEFINITION_OPTIONS` disable automatic binding of variables, which a header may enable.
  const implicit = /utoImplicit/u.test(above) ? implicitLines(above) : [];
  return {
    accepted: true,
    text: [above, ...DEFINITION_OPTIONS, ...implicit, below.replace(/^\n+/u, '')].join('\n').trimStart(),
  };
}

/**
 * Returns the index of the first token of the first definition, including `open … in` above it; -1 if the header
 * defines nothing.
 */
function firstDefinition(tokens: readonly Token[]): number {
  let at = tokens.findIndex(({ text }) => DEFINITIONS.has(text));
  if (tokens[at - 1]?.text === 'noncomputable') at -= 1;
  while (tokens[at - 1]?.text === 'in')
    at = tokens.findLastIndex(({ text }, index) => index < at && HEADER_COMMANDS.has(text));
  return at;
}

/**
 * Finds a command that would affect later text or lacks its name, a name outside its namespace, or an import or option
 * after the first definition, which begins at `first`.
 */
function findMisplaced(tokens: readonly Token[], first: number): Finding | null {
  const last = tokens.at(-1);
  // A final `in` applies to one statement below it, but our statements follow lines of our own.
  if (last?.text === 'in') return { offset: last.start, reason: '`in` at the end' };
  for (const [index, { text, start: offset }] of tokens.entries()) {
    const isNamed = DEFINITIONS.has(text) || text === 'namespace';
    const name = tokens[index + 1];
    if (isNamed && name?.kind !== 'word') return { offset, reason: `${text} has no name` };
    if (isNamed && nameParts(name!.text).includes('_root_'))
      return { offset: name!.start, reason: '_root_ has no place in a name of a header' };
    if (first >= 0 && index >= first && (text === 'import' || text === 'set_option'))
      return { offset, reason: `${text} stands above or below a definition` };
  }
  return null;
}

/** Replaces the allowed commands' keywords by meaningless names. Keywords of all other commands stay. */
function withoutCommands(printed: string): string {
  let text = '';
  let end = 0;
  for (const token of tokenize(printed)) {
    const isCommand = token.kind === 'word' && HEADER_COMMANDS.has(token.text);
    text += printed.slice(end, token.start) + (isCommand ? '_'.repeat(token.text.length) : token.text);
    end = token.end;
  }
  return text + printed.slice(end);
}

const located = ({ line, column, reason }: { line: number; column: number; reason: string }): string =>
  `${line}:${column}: ${reason}`;

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
  return refuse(`header:${located({ ...positionAt(text, offset), reason })}`);
}
