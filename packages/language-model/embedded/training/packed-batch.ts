/**
 * Tokenised examples as rows of equal length, several examples to a row: token ids, positions that restart with each
 * example, each token's example, and the scored tokens with their numbers. Pure.
 */

/** Example number of padding. Padding attends only to padding. */
const PADDING = -1;

export interface TokenisedExample {
  /** Prompt, target and end-of-text. */
  readonly tokens: ArrayLike<number>;
  /**
   * Number of prompt tokens; the rest is scored. At least 1, because the first target token needs a token before it.
   */
  readonly promptLength: number;
  /** Weight of each scored token, in order. */
  readonly weights: ArrayLike<number>;
}

export interface PackedBatch {
  readonly rows: number;
  readonly rowLength: number;
  /** [rows · rowLength] */
  readonly tokens: Int32Array;
  /** [rows · rowLength] */
  readonly positions: Int32Array;
  /** Number of the example within its row, [rows · rowLength]. */
  readonly examples: Int32Array;
  /** Flat indices of the tokens whose outputs predict a scored token. */
  readonly predictors: Int32Array;
  /** The scored token of each predictor. */
  readonly labels: Int32Array;
  /** The objective's numbers for each scored token, by name; always includes `weights`. */
  readonly targetValues: Readonly<Record<string, Float32Array>>;
}

/** Packs rows of examples; every row must fit `rowLength`. */
export function packedBatch(rows: readonly (readonly TokenisedExample[])[], rowLength: number): PackedBatch {
  const tokens = new Int32Array(rows.length * rowLength);
  const positions = new Int32Array(rows.length * rowLength);
  const exampleNumbers = new Int32Array(rows.length * rowLength).fill(PADDING);
  const predictors: number[] = [];
  const labels: number[] = [];
  const weights: number[] = [];
  rows.forEach((examples, row) => {
    let base = row * rowLength;
    examples.forEach(({ tokens: ids, promptLength, weights: own }, number) => {
      tokens.set(ids, base);
      exampleNumbers.fill(number, base, base + ids.length);
      for (let position = 0; position < ids.length; position += 1) {
        positions[base + position] = position;
        if (position < promptLength) continue;
        predictors.push(base + position - 1);
        labels.push(ids[position]!);
        weights.push(own[position - promptLength]!);
      }
      base += ids.length;
    });
  });
  return {
    rows: rows.length,
    rowLength,
    tokens,
    positions,
    examples: exampleNumbers,
    predictors: Int32Array.from(predictors),
    labels: Int32Array.from(labels),
    targetValues: { weights: Float32Array.from(weights) },
  };
}
