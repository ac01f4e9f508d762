/**
 * Makes foreign text (names of theorems, messages of Lean, names of files) safe to print on a terminal: a character
 * that moves the cursor, changes colours, changes the direction of writing or is invisible is printed as its number.
 */

/** C0, C1 and DEL; format characters (directions, zero width); separators of lines; halves of a pair; what is never drawn. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** One line: line feeds and tabs are written as numbers too. For names. */
export function printableLine(text: string): string {
  return text.replace(UNSEEN, numbered);
}

/** Line feeds and tabs stay. For messages. */
export function printableText(text: string): string {
  return text.replace(UNSEEN, (character) =>
    character === '\n' || character === '\t' ? character : numbered(character),
  );
}

/** The value as JSON in one line. A JSON reader gets the same characters back; only their spelling differs. */
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
