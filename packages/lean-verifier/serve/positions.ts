/**
 * Converts offsets of a text into Lean's line and column. One pass converts many: a snippet may have thousands, and up
 * to a megabyte of text.
 */
import type { WirePosition } from './wire.ts';

/** Lines (1-based) and columns (0-based, code points) of offsets (UTF-16 units), which ascend. */
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
