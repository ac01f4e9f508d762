/**
 * The byte alphabet of GPT-2: every byte has one printable character, so that any text is a string over 256 characters
 * and a vocabulary is readable. Printable Latin-1 bytes stand for themselves; the others take U+0100 upwards in order.
 */

function isPrintable(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

function buildAlphabet(): readonly string[] {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : next++));
}

/** Character of each byte. */
export const BYTE_ALPHABET: readonly string[] = buildAlphabet();

const byteOfCharacter = new Map(BYTE_ALPHABET.map((character, byte) => [character, byte]));

/** Returns the bytes of a token, or null if a character is outside the alphabet. */
export function bytesOfToken(token: string): Uint8Array | null {
  const bytes = new Uint8Array(token.length);
  for (let index = 0; index < token.length; index++) {
    const byte = byteOfCharacter.get(token[index]!);
    if (byte === undefined) return null;
    bytes[index] = byte;
  }
  return bytes;
}
