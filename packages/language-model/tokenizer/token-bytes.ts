/** The bytes of each token, by the decoder of a `tokenizer.json`. */
import { bytesOfToken } from './bytes.ts';
import type { TokenDecoder } from './tokenizer-file.ts';

interface TokenBytes {
  readonly bytesOf: (token: string) => Uint8Array;
  /** Whether decoding a whole text removes a space at its start. */
  readonly dropsFirstSpace: boolean;
}

const BYTE_TOKEN = /^<0x([0-9A-Fa-f]{2})>$/;

/** Throws an `Error` if the decoder's steps give no text. */
export function tokenBytes(decoder: TokenDecoder): TokenBytes {
  const encoder = new TextEncoder();
  const steps = stepsOf(decoder);
  if (steps.some(({ type }) => type === 'ByteLevel'))
    return { bytesOf: (token) => bytesOfToken(token) ?? encoder.encode(token), dropsFirstSpace: false };
  const spaces = steps.flatMap((step) =>
    step.type === 'Metaspace' ? [step.replacement] : step.type === 'Replace' ? [step.pattern.String] : [],
  );
  if (spaces.length === 0) throw new Error('decoder: it writes neither bytes nor spaces');
  const hasBytes = steps.some(({ type }) => type === 'ByteFallback');
  return {
    bytesOf: (token) => {
      const byte = hasBytes ? BYTE_TOKEN.exec(token)?.[1] : undefined;
      if (byte !== undefined) return Uint8Array.of(Number.parseInt(byte, 16));
      return encoder.encode(spaces.reduce((text, space) => text.replaceAll(space, ' '), token));
    },
    dropsFirstSpace: steps.some(
      (step) =>
        (step.type === 'Strip' && step.start === 1) || (step.type === 'Metaspace' && step.prepend_scheme !== 'never'),
    ),
  };
}

function stepsOf(decoder: TokenDecoder): Exclude<TokenDecoder, { type: 'Sequence' }>[] {
  return decoder.type === 'Sequence' ? decoder.decoders.flatMap(stepsOf) : [decoder];
}
