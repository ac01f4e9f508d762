/** Reads the definitions in a header, and compares texts that use them independent of their names. Reads text only. */
import { type Token, tokenize } from './tokenizer.ts';

const DEFINING: ReadonlySet<string> = new Set(['def', 'abbrev']);
/** Words that begin another command at any position, and so end a definition. */
const COMMANDS: ReadonlySet<string> = new Set([
  ...['def', 'abbrev', 'noncomputable', 'private', 'protected', 'partial', 'unsafe', 'nonrec'],
  ...['namespace', 'section', 'end', 'variable', 'universe', 'import', 'theorem', 'lemma', 'example', 'axiom'],
  ...['inductive', 'structure', 'class', 'instance', 'opaque', 'mutual', 'attribute', 'deriving'],
]);
/** Words that begin a command only in column 0: a term may contain them too, before an `in`. */
const MARGIN_COMMANDS: ReadonlySet<string> = new Set(['open', 'set_option']);
/** Most headers define nothing, and are not read further. */
const MAY_DEFINE = /\b(?:def|abbrev)\b/u;
const WORD = "[\\p{L}_][\\p{L}\\p{N}_'!?₀-₉]*(?:\\.[\\p{L}_][\\p{L}\\p{N}_'!?₀-₉]*)*";
const NAMES = new RegExp(`(?<![\\p{L}\\p{N}_'.])${WORD}`, 'gu');

export interface OwnDefinition {
  /** Name as written after the keyword. */
  readonly name: string;
  /** Text from the keyword on, without comments and with single spaces between tokens. */
  readonly text: string;
}

/** Returns the header's definitions in order; none for null, which stands for the library header. */
export function ownDefinitions(header: string | null): readonly OwnDefinition[] {
  if (header === null || !MAY_DEFINE.test(header)) return [];
  const tokens = tokenize(header).filter(({ kind }) => kind !== 'comment');
  return tokens.flatMap(({ kind, text }, at) => {
    const name = tokens[at + 1];
    if (kind !== 'word' || !DEFINING.has(text) || name?.kind !== 'word') return [];
    const next = tokens.findIndex((token, other) => other > at && beginsCommand(header, token));
    return [{ name: name.text, text: joined(tokens.slice(at, next < 0 ? tokens.length : next)) }];
  });
}

function beginsCommand(source: string, { kind, text, start }: Token): boolean {
  if (kind !== 'word') return false;
  return COMMANDS.has(text) || (MARGIN_COMMANDS.has(text) && (start === 0 || source[start - 1] === '\n'));
}

const joined = (tokens: readonly Token[]): string =>
  tokens.map(({ text, start }, at) => (at > 0 && tokens[at - 1]!.end < start ? ` ${text}` : text)).join('');

/**
 * Returns a function that replaces each defined name by a number. Two texts with the same result are renamings of each
 * other.
 */
export function numberedNames(definitions: readonly OwnDefinition[]): (text: string) => string {
  const numbers = new Map<string, string>();
  for (const { name } of definitions) if (!numbers.has(name)) numbers.set(name, `«given ${numbers.size}»`);
  const numbered = (word: string): string => {
    const parts = word.split('.');
    for (let length = parts.length; length > 0; length--) {
      const number = numbers.get(parts.slice(0, length).join('.'));
      if (number !== undefined) return [number, ...parts.slice(length)].join('.');
    }
    return word;
  };
  return (text) => text.replace(NAMES, numbered);
}
