/**
 * Philox2x32-10, a counter-based random generator (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3").
 * Number n of a seed is a function of (seed, n) alone, so a sample's noise needs no state and does not depend on other
 * samples.
 */

const ROUNDS = 10;
const MULTIPLIER = 0xd256d193;
const WEYL_STEP = 0x9e3779b9;
const TWO_32 = 2 ** 32;

/** Returns the block of two 32-bit words for a counter (low, high) and a key. */
export function philox2x32(counterLow: number, counterHigh: number, key: number): readonly [number, number] {
  let low = counterLow >>> 0;
  let high = counterHigh >>> 0;
  let roundKey = key >>> 0;
  for (let round = 0; round < ROUNDS; round++) {
    const productHigh = multiplyHigh(MULTIPLIER, low);
    const productLow = Math.imul(MULTIPLIER, low) >>> 0;
    low = (productHigh ^ roundKey ^ high) >>> 0;
    high = productLow;
    roundKey = (roundKey + WEYL_STEP) >>> 0;
  }
  return [low, high];
}

/**
 * Returns number `index` of the sequence of `seed` (a safe non-negative integer): uniform in [0, 1), 53 random bits.
 */
export function uniformAt(seed: number, index: number): number {
  const [low, high] = philox2x32(index, Math.floor(seed / TWO_32), seed % TWO_32);
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}

/** Returns the upper 32 bits of the 64-bit product, computed by halves so that every step is exact. */
function multiplyHigh(left: number, right: number): number {
  const leftHigh = left >>> 16;
  const leftLow = left & 0xffff;
  const rightHigh = right >>> 16;
  const rightLow = right & 0xffff;
  const middle = leftHigh * rightLow + Math.floor((leftLow * rightLow) / 65_536);
  const carry = leftLow * rightHigh + (middle % 65_536);
  return (leftHigh * rightHigh + Math.floor(middle / 65_536) + Math.floor(carry / 65_536)) >>> 0;
}
