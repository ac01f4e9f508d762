/** The matrix product behind the matching of conjectures: every pair, within the tolerance that it states. */

import { openInnerProducts, productTolerance } from '@stp/language-model';
import type { InnerProducts } from '@stp/language-model/testing';
import { innerProduct, norm, randomStream } from '@stp/selfplay';
import { afterEach, expect, it } from 'vitest';

let products: InnerProducts | null = null;
afterEach(() => products?.close());

it.each([
  [1, 1, 1],
  [3, 5, 7],
  [64, 33, 129],
  [4_096, 17, 65],
])('of vectors with %i dimensions, %i with %i, are right', async (length, rowCount, columnCount) => {
  const random = randomStream(1, 'products', String(length));
  const vectors = (count: number) => Float32Array.from({ length: count * length }, () => random.next() - 0.3);
  const [rows, columns] = [vectors(rowCount + 1), vectors(columnCount + 1)];
  products = await openInnerProducts(length);
  // Twice: the second call writes where the first has written.
  await products.compute(columns, columnCount, rows, rowCount);
  const result = await products.compute(rows, rowCount, columns, columnCount);
  expect(result).toHaveLength(rowCount * columnCount);
  for (let row = 0; row < rowCount; row++)
    for (let column = 0; column < columnCount; column++) {
      const [a, b] = [
        rows.subarray(row * length, (row + 1) * length),
        columns.subarray(column * length, (column + 1) * length),
      ];
      const error = Math.abs(result[row * columnCount + column]! - innerProduct(a, b));
      expect(error).toBeLessThanOrEqual(productTolerance(length, norm(a), norm(b)));
    }
});
