/**
 * Computes the log-probabilities of the targets of chosen sequences: packs them as for training, scores them, and
 * unpacks the results.
 */
import { packRows } from './pack-rows.ts';
import { packedBatch, type TokenisedExample } from './packed-batch.ts';
import type { TrainingEngine } from './training-engine.ts';
import type { TrainingSet } from './training-set.ts';

/** Maximum tokens packed together, unless one sequence is longer. Bounds memory. */
const TOKENS_AT_ONCE = 8_192;

/** Returns the log-probabilities of each sequence's target tokens, in the order of `sequences`. */
export async function sequenceLogprobs(
  engine: Pick<TrainingEngine, 'logProbabilities'>,
  parameters: Float32Array,
  set: TrainingSet,
  sequences: readonly number[],
  contextLength: number,
): Promise<Float32Array[]> {
  const found: Float32Array[] = new Array(sequences.length);
  for (let first = 0; first < sequences.length; ) {
    const chosen: TokenisedExample[] = [];
    const firstOf = new Map<TokenisedExample, number>();
    let tokens = 0;
    for (; first < sequences.length; first += 1) {
      const at = sequences[first]!;
      const sequence = set.sequence(at, new Float32Array(set.targetLength(at)));
      tokens += sequence.tokens.length;
      if (chosen.length > 0 && tokens > TOKENS_AT_ONCE) break;
      chosen.push(sequence);
      firstOf.set(sequence, first);
    }
    const packed = packRows(chosen, contextLength);
    const batches = packed.map(({ rows, rowLength }) => packedBatch(rows, rowLength));
    const scored = await engine.logProbabilities(parameters, batches);
    packed.forEach(({ rows }, batch) => {
      let start = 0;
      for (const sequence of rows.flat()) {
        const end = start + sequence.tokens.length - sequence.promptLength;
        found[firstOf.get(sequence)!] = scored[batch]!.slice(start, end);
        start = end;
      }
    });
  }
  return found;
}
