/**
 * Converts positions in a text. The Language Server Protocol counts lines from 0 and columns in UTF-16 units. Lean and
 * this project count lines from 1, and columns from 0 in code points.
 */

export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

export interface ServerPosition {
  readonly line: number;
  readonly character: number;
}

/** Converts positions in one text, both ways. A position outside the text becomes the nearest one inside. */
export class TextPositions {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split('\n');
  }

  toSource({ line, character }: ServerPosition): SourcePosition {
    const units = (this.#lines[line] ?? '').slice(0, character);
    return { line: line + 1, column: codePoints(units) };
  }

  toServer({ line, column }: SourcePosition): ServerPosition {
    const text = this.#lines[line - 1] ?? '';
    let character = 0;
    for (let left = column; left > 0 && character < text.length; left -= 1) {
      character += text.codePointAt(character)! > 0xffff ? 2 : 1;
    }
    return { line: line - 1, character };
  }
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
