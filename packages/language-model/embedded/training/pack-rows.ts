/**
 * Packs examples into rows of few lengths, and rows into micro-batches. Attention costs row length per token, and
 * padding costs as much as text. So a row is as short as its longest example allows, and shorter examples fill it.
 */
import type { TokenisedExample } from './packed-batch.ts';

/** Row lengths are the context divided by these, rounded up to a multiple of `ROW_LENGTH_UNIT`. */
const ROW_LENGTH_DIVISORS = [4, 2, 1];
const ROW_LENGTH_UNIT = 8;
/**
 * Padded tokens in one run of the graph. More would exceed the processor's cache and cost memory; fewer would waste
 * calls.
 */
export const MICRO_BATCH_TOKENS = 1024;

export interface MicroBatch {
  readonly rowLength: number;
  readonly rows: readonly (readonly TokenisedExample[])[];
}

interface OpenRow {
  readonly rowLength: number;
  free: number;
  readonly examples: TokenisedExample[];
}

/** Returns the row lengths for a context, ascending; the last is the context itself. */
export function rowLengths(contextLength: number): number[] {
  const lengths = ROW_LENGTH_DIVISORS.map((divisor) =>
    Math.min(contextLength, Math.ceil(contextLength / divisor / ROW_LENGTH_UNIT) * ROW_LENGTH_UNIT),
  );
  return [...new Set(lengths)];
}

/**
 * Packs examples by best fit decreasing: longest first, each into the fullest row with room. No example exceeds the
 * context.
 */
export function packRows(examples: readonly TokenisedExample[], contextLength: number): MicroBatch[] {
  const lengths = rowLengths(contextLength);
  const rows: OpenRow[] = [];
  const longestFirst = [...examples].sort((left, right) => right.tokens.length - left.tokens.length);
  for (const example of longestFirst) {
    const length = example.tokens.length;
    let best: OpenRow | undefined;
    for (const row of rows) if (row.free >= length && (best === undefined || row.free < best.free)) best = row;
    if (best === undefined) {
      const rowLength = lengths.find((candidate) => candidate >= length)!;
      best = { rowLength, free: rowLength, examples: [] };
      rows.push(best);
    }
    best.examples.push(example);
    best.free -= length;
  }
  return lengths.flatMap((rowLength) => {
    const ofLength = rows.filter((row) => row.rowLength === rowLength).map((row) => row.examples);
    return microBatches(ofLength, rowLength);
  });
}

/** Splits rows of one length into groups of nearly equal size. */
function microBatches(rows: readonly (readonly TokenisedExample[])[], rowLength: number): MicroBatch[] {
  const rowsMax = Math.max(1, Math.floor(MICRO_BATCH_TOKENS / rowLength));
  const groups = Math.ceil(rows.length / rowsMax);
  return Array.from({ length: groups }, (_, group) => ({
    rowLength,
    rows: rows.slice(Math.floor((group * rows.length) / groups), Math.floor(((group + 1) * rows.length) / groups)),
  }));
}
