/**
 * Tests sampled text as it arrives: whole characters, and an end that does not depend on the division into tokens. A
 * second.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SampleTextBuilder } from './sample-text.ts';

/** Bytes in pieces of these lengths, over and over. */
function inPieces(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    const length = lengths[pieces.length % lengths.length]!;
    pieces.push(bytes.subarray(start, start + length));
    start += length;
  }
  return pieces;
}

function build(pieces: readonly Uint8Array[], stops: readonly string[]) {
  const builder = new SampleTextBuilder(stops);
  const deltas: string[] = [];
  const stopped = pieces.some((piece) => {
    const isOver = builder.push(piece);
    deltas.push(builder.takeShowable());
    return isOver;
  });
  builder.finish();
  deltas.push(builder.takeShowable());
  return { text: builder.text, deltas, stopped };
}

const lengths = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 });
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '→', '𝔽', '\n', '\uFEFF'), maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);
const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '→', '𝔽', '\n'), minLength: 1, maxLength: 4 }), {
  maxLength: 3,
});

/** The end by definition: the stop text that is complete first; of those complete together, the longest. */
function cutByDefinition(whole: string, ends: readonly string[]): string {
  for (let end = 1; end <= whole.length; end++) {
    const complete = ends.filter((stop) => whole.slice(0, end).endsWith(stop));
    if (complete.length > 0) return whole.slice(0, end - Math.max(...complete.map((stop) => stop.length)));
  }
  return whole;
}

describe('text of a sample', () => {
  it('is what its bytes are, however they are divided', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), lengths, (bytes, parts) => {
        expect(build(inPieces(bytes, parts), []).text).toBe(Buffer.from(bytes).toString('utf8'));
      }),
      { seed: 1 },
    );
  });

  it('ends before the stop text that is complete first', () => {
    fc.assert(
      fc.property(text, stops, lengths, (whole, ends, parts) => {
        const { text: cut, stopped } = build(inPieces(Buffer.from(whole), parts), ends);
        const expected = cutByDefinition(whole.toWellFormed(), ends);
        expect(cut).toBe(expected);
        expect(stopped).toBe(expected !== whole.toWellFormed());
      }),
      { numRuns: 1_000, seed: 2 },
    );
  });

  it('is shown in whole characters, and nothing shown is taken back', () => {
    fc.assert(
      fc.property(text, stops, lengths, (whole, ends, parts) => {
        const { text: cut, deltas } = build(inPieces(Buffer.from(whole), parts), ends);
        expect(deltas.join('')).toBe(cut);
        for (const delta of deltas) expect(delta.isWellFormed()).toBe(true);
      }),
      { numRuns: 1_000, seed: 3 },
    );
  });

  it('is shown at once where it can begin no stop text', () => {
    const builder = new SampleTextBuilder(['\n\n']);
    builder.push(Buffer.from('by simp\n'));
    expect(builder.takeShowable()).toBe('by simp');
    builder.push(Buffer.from('  rfl'));
    expect(builder.takeShowable()).toBe('\n  rfl');
  });
});
