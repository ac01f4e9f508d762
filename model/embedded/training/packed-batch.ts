/**
 * Tokenised examples as rows of equal length, several examples to a row: token ids, positions that restart with each
 * example, a block-diagonal causal bias, and which tokens are scored with what weight. Pure.
 */

/** Bias of a pair of positions that must not see each other. Finite: a padding row becomes uniform instead of NaN. */
const HIDDEN_BIAS = -1e9;

export interface TokenisedExample {
  /** Prompt, target and end-of-text. */
  readonly tokens: ArrayLike<number>;
  /** Tokens of the prompt; the rest is scored. At least 1: something must predict the first target token. */
  readonly promptLength: number;
  /** Weight of each scored token. */
  readonly weight: number;
}

export interface PackedBatch {
  readonly rows: number;
  readonly rowLength: number;
  /** [rows, rowLength] */
  readonly tokens: BigInt64Array;
  /** [rows, rowLength] */
  readonly positions: BigInt64Array;
  /** [rows, 1, rowLength, rowLength] */
  readonly attentionBias: Float32Array;
  /** Flat indices of the tokens that predict a scored one. */
  readonly predictors: BigInt64Array;
  /** The scored token of each predictor. */
  readonly labels: BigInt64Array;
  /** Weight of each predictor. */
  readonly weights: Float32Array;
}

/** Packs rows of examples; every row must fit `rowLength`. Weights are multiplied by `weightScale`. */
export function packedBatch(
  rows: readonly (readonly TokenisedExample[])[],
  rowLength: number,
  weightScale: number,
): PackedBatch {
  const area = rowLength * rowLength;
  const tokens = new BigInt64Array(rows.length * rowLength);
  const positions = new BigInt64Array(rows.length * rowLength);
  const attentionBias = new Float32Array(rows.length * area).fill(HIDDEN_BIAS);
  const predictors: bigint[] = [];
  const labels: bigint[] = [];
  const weights: number[] = [];
  rows.forEach((examples, row) => {
    let start = 0;
    for (const { tokens: ids, promptLength, weight } of examples) {
      const base = row * rowLength + start;
      for (let position = 0; position < ids.length; position += 1) {
        tokens[base + position] = BigInt(ids[position]!);
        positions[base + position] = BigInt(position);
        const biasRow = row * area + (start + position) * rowLength + start;
        attentionBias.fill(0, biasRow, biasRow + position + 1);
        if (position < promptLength) continue;
        predictors.push(BigInt(base + position - 1));
        labels.push(tokens[base + position]!);
        weights.push(weight * weightScale);
      }
      start += ids.length;
    }
  });
  return {
    rows: rows.length,
    rowLength,
    tokens,
    positions,
    attentionBias,
    predictors: BigInt64Array.from(predictors),
    labels: BigInt64Array.from(labels),
    weights: Float32Array.from(weights),
  };
}
