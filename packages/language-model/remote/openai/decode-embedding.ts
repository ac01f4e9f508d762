/** Decodes and checks an embedding from a server, and scales it to length 1, since not every server normalises. */

/** Returns the vector, or what is wrong with it. `wire` is base64 of little-endian float32, or numbers. */
export function decodeEmbedding(
  wire: string | readonly number[] | undefined,
  hiddenSize: number,
): Float32Array | string {
  if (wire === undefined) return 'an embedding is missing';
  const vector = typeof wire === 'string' ? decodeBase64(wire) : Float32Array.from(wire);
  if (vector.length !== hiddenSize) return `an embedding of ${vector.length} numbers, the model has ${hiddenSize}`;
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length)) return 'an embedding with a number that is not finite';
  return length === 0 ? vector : vector.map((value) => value / length);
}

function decodeBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(4 * index));
}
