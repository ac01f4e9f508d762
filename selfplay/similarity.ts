/**
 * Inner products of many vectors with many: cosines where all have length 1. Sums run in 64 bits over the dimensions in
 * order, so a pair's result does not depend on what it is computed beside.
 */

export interface Vectors {
  /** One vector after the other. */
  readonly values: Float32Array;
  readonly count: number;
}

/** Rows and columns whose sums are kept in registers at once: eight sums and six loads a step. */
const TILE_ROWS = 4;
const TILE_COLUMNS = 2;

/**
 * Writes row r times column c to `out[(rowAt + r) · stride + columnAt + c]`, for rows [from, to).
 *
 * @param length dimensions of every vector
 */
export function innerProducts(
  rows: Vectors,
  from: number,
  to: number,
  columns: Vectors,
  length: number,
  out: { readonly values: Float32Array; readonly stride: number; readonly columnAt: number },
): void {
  const { values: a } = rows;
  const { values: b } = columns;
  const { values: target, stride, columnAt } = out;
  const tiledRows = to - ((to - from) % TILE_ROWS);
  const tiledColumns = columns.count - (columns.count % TILE_COLUMNS);
  for (let row = from; row < tiledRows; row += TILE_ROWS)
    for (let column = 0; column < tiledColumns; column += TILE_COLUMNS) {
      const a0 = row * length;
      const a1 = a0 + length;
      const a2 = a1 + length;
      const a3 = a2 + length;
      const b0 = column * length;
      const b1 = b0 + length;
      let s00 = 0;
      let s01 = 0;
      let s10 = 0;
      let s11 = 0;
      let s20 = 0;
      let s21 = 0;
      let s30 = 0;
      let s31 = 0;
      for (let d = 0; d < length; d++) {
        const y0 = b[b0 + d]!;
        const y1 = b[b1 + d]!;
        const x0 = a[a0 + d]!;
        const x1 = a[a1 + d]!;
        const x2 = a[a2 + d]!;
        const x3 = a[a3 + d]!;
        s00 += x0 * y0;
        s01 += x0 * y1;
        s10 += x1 * y0;
        s11 += x1 * y1;
        s20 += x2 * y0;
        s21 += x2 * y1;
        s30 += x3 * y0;
        s31 += x3 * y1;
      }
      const at = row * stride + columnAt + column;
      target[at] = s00;
      target[at + 1] = s01;
      target[at + stride] = s10;
      target[at + stride + 1] = s11;
      target[at + 2 * stride] = s20;
      target[at + 2 * stride + 1] = s21;
      target[at + 3 * stride] = s30;
      target[at + 3 * stride + 1] = s31;
    }
  const single = (row: number, column: number): void => {
    let sum = 0;
    for (let d = 0; d < length; d++) sum += a[row * length + d]! * b[column * length + d]!;
    target[row * stride + columnAt + column] = sum;
  };
  for (let row = tiledRows; row < to; row++) for (let column = 0; column < columns.count; column++) single(row, column);
  for (let row = from; row < tiledRows; row++)
    for (let column = tiledColumns; column < columns.count; column++) single(row, column);
}
