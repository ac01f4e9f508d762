/**
 * ByT5's tokenizer (Xue et al. 2022, arXiv 2105.13626, §3.1): a token is a byte of UTF-8, its id is the byte + 3. Ids below are
 * padding 0, end of text 1 and unknown 2; ids above the bytes are sentinels of the pre-training, which no text has.
 */

export const BYTE_PAD_ID = 0;
export const BYTE_END_ID = 1;
const FIRST_BYTE_ID = 3;
/** Ids below it are padding, end, unknown and bytes. */
export const BYTE_IDS = FIRST_BYTE_ID + 256;

/** Ids of a text, at most `most` of them, without an end. */
export function byteIds(text: string, most = Number.POSITIVE_INFINITY): number[] {
  return Array.from(Buffer.from(text, 'utf8').subarray(0, most), (byte) => byte + FIRST_BYTE_ID);
}

/** The text of the ids that are bytes; bytes that are no UTF-8 are left out, as transformers does. */
export function byteText(ids: readonly number[]): string {
  const bytes = ids.filter((id) => id >= FIRST_BYTE_ID && id < BYTE_IDS).map((id) => id - FIRST_BYTE_ID);
  return new TextDecoder().decode(Uint8Array.from(bytes)).replaceAll('\uFFFD', '');
}
