/** Seeded random numbers: splitmix32 as generator, Box–Muller for normals, Fisher–Yates for shuffling. */

/**
 * Returns a generator of uniform numbers in [0, 1) with 32 random bits. Equal seeds give equal sequences on every
 * machine.
 */
export function uniformGenerator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** Returns a generator of standard normal numbers. */
export function normalGenerator(seed: number): () => number {
  const uniform = uniformGenerator(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Returns a random permutation of 0 … count-1. */
export function shuffledOrder(count: number, seed: number): Uint32Array {
  const uniform = uniformGenerator(seed);
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last -= 1) {
    const chosen = Math.floor(uniform() * (last + 1));
    [order[last], order[chosen]] = [order[chosen]!, order[last]!];
  }
  return order;
}
