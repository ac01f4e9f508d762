/**
 * Converts text offsets to Lean's lines and columns, many in one pass: a snippet may have thousands of offsets, and up
 * to a megabyte of text.
 */
import type { WirePosition } from './wire.ts';

/** Returns lines (1-based) and columns (0-based, code points) of ascending offsets (UTF-16 units). */
export function positionsOf(text: string, offsets: readonly number[]): WirePosition[] {
  let line = 1;
  let column = 0;
  let offset = 0;
  return offsets.map((wanted) => {
    while (offset < wanted) {
      const point = text.codePointAt(offset)!;
      offset += point > 0xffff ? 2 : 1;
      column += 1;
      if (point !== 0x0a) continue;
      line += 1;
      column = 0;
    }
    return { line, column };
  });
}
