/**
 * The definitions that a header brings along: what they are called, and how to compare texts that use them whatever
 * they are called. Reads text only.
 */
import { readCommands } from './commands.ts';
import { maskSource } from './scan.ts';

const DEFINING: ReadonlySet<string> = new Set(['def', 'abbrev']);
/** Most headers define nothing, and are not read further. */
const MAY_DEFINE = /\b(?:def|abbrev)\b/u;
const WORD = "[\\p{L}_][\\p{L}\\p{N}_'!?₀-₉]*(?:\\.[\\p{L}_][\\p{L}\\p{N}_'!?₀-₉]*)*";
const NAME = new RegExp(`^\\s*(${WORD})`, 'u');
const NAMES = new RegExp(`(?<![\\p{L}\\p{N}_'.])${WORD}`, 'gu');

export interface OwnDefinition {
  /** As it is written after its keyword. */
  readonly name: string;
  /** From the keyword on, without comments, white space made single. */
  readonly text: string;
}

/** Returns the header's definitions in their order; none for null, which stands for the library's header. */
export function ownDefinitions(header: string | null): readonly OwnDefinition[] {
  if (header === null || !MAY_DEFINE.test(header)) return [];
  const masked = maskSource(header);
  return readCommands(masked).flatMap(({ keyword, start, end }) => {
    const text = masked.withoutComments.slice(start, end).replace(/\s+/gu, ' ');
    const name = DEFINING.has(keyword) ? NAME.exec(text.slice(keyword.length))?.[1] : undefined;
    return name === undefined ? [] : [{ name, text }];
  });
}

/**
 * A reader of texts that use these definitions. It puts a number in the place of each defined name: two texts that read
 * the same are renamings of each other.
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
