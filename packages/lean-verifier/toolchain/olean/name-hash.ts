/**
 * Lean's hashes of strings and names, which compiled modules contain and use for searching. Strings: MurmurHash64A with
 * seed 11 over UTF-8. Names: the hashes of the components are mixed in order, starting from the hash of the anonymous
 * name.
 * Source: `runtime/hash.cpp`, `runtime/hash.h`, `Init/Prelude.lean` (`Name.mkStr`, `Name.mkNum`) of Lean 4.
 */

const MULTIPLIER = 0xc6a4a7935bd1e995n;
const SHIFT = 47n;
const STRING_SEED = 11n;
export const ANONYMOUS_NAME_HASH = 1723n;

/** A component of a name: a string, or a number, which private and hygienic names contain. */
export type NameComponent = string | number;

function wrap(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function scramble(word: bigint): bigint {
  const first = wrap(word * MULTIPLIER);
  return wrap((first ^ (first >> SHIFT)) * MULTIPLIER);
}

export function hashString(text: string): bigint {
  const bytes = Buffer.from(text, 'utf8');
  const wholeWords = bytes.length - (bytes.length % 8);
  let hash = STRING_SEED ^ wrap(BigInt(bytes.length) * MULTIPLIER);
  for (let offset = 0; offset < wholeWords; offset += 8) {
    hash = wrap((hash ^ scramble(bytes.readBigUInt64LE(offset))) * MULTIPLIER);
  }
  if (wholeWords < bytes.length) {
    const tail = Buffer.alloc(8);
    bytes.copy(tail, 0, wholeWords);
    hash = wrap((hash ^ tail.readBigUInt64LE(0)) * MULTIPLIER);
  }
  hash = wrap((hash ^ (hash >> SHIFT)) * MULTIPLIER);
  return hash ^ (hash >> SHIFT);
}

/** Mixes a word into a hash. Unlike Murmur, Lean xors the multiplier in where Murmur multiplies by it. */
function mix(hash: bigint, word: bigint): bigint {
  const multiplied = wrap(word * MULTIPLIER);
  const scrambled = multiplied ^ (multiplied >> SHIFT) ^ MULTIPLIER;
  return wrap((hash ^ scrambled) * MULTIPLIER);
}

/** Returns the hash of `prefix.component`, given the hash of `prefix`. */
export function hashComponent(prefixHash: bigint, component: NameComponent): bigint {
  return mix(prefixHash, typeof component === 'number' ? BigInt(component) : hashString(component));
}

export function hashName(components: readonly NameComponent[]): bigint {
  return components.reduce(hashComponent, ANONYMOUS_NAME_HASH);
}
