/**
 * Makes foreign text (names of theorems, Lean's messages, file names) safe to print on a terminal: characters that move
 * the cursor, change colours or the writing direction, or are invisible, are printed as numbers.
 */

/**
 * C0, C1 and DEL; format characters (directions, zero width); separators of lines; unpaired surrogates; characters that
 * are never drawn.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns one line, for names: line feeds and tabs become numbers too. */
export function printableLine(text: string): string {
  return text.replace(UNSEEN, numbered);
}

/** Keeps line feeds and tabs, for messages. */
export function printableText(text: string): string {
  return text.replace(UNSEEN, (character) =>
    character === '\n' || character === '\t' ? character : numbered(character),
  );
}

/** Returns the value as JSON in one line. A JSON reader gets the same characters; only their escapes differ. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}

function numbered(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16).toUpperCase().padStart(2, '0')}}`;
}
