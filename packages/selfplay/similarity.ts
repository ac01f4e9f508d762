/**
 * Inner products, which are cosines for vectors of length 1. Sums use 64 bits in the order of the dimensions, so the
 * result is the same on every machine.
 */

/** Computes the inner product of two vectors of one length. */
export function innerProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += a[d]! * b[d]!;
  return sum;
}

export const norm = (vector: Float32Array): number => Math.sqrt(innerProduct(vector, vector));
