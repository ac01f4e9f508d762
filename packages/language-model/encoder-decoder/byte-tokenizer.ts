/**
 * ByT5's tokenizer (Xue et al. 2022, arXiv 2105.13626, §3.1): a token is a byte of UTF-8, and its id is the byte + 3.
 * Id 0 is padding, 1 end of text, 2 unknown. Ids above the bytes are sentinels of the pre-training, which no text
 * contains.
 */

export const BYTE_PAD_ID = 0;
export const BYTE_END_ID = 1;
const FIRST_BYTE_ID = 3;
/** Number of ids for padding, end, unknown and bytes. */
export const BYTE_IDS = FIRST_BYTE_ID + 256;

/** Returns the ids of a text, at most `most`, without an end token. */
export function byteIds(text: string, most = Number.POSITIVE_INFINITY): number[] {
  return Array.from(Buffer.from(text, 'utf8').subarray(0, most), (byte) => byte + FIRST_BYTE_ID);
}

/** Returns the text of the ids that are bytes. Invalid UTF-8 is dropped, as in transformers. */
export function byteText(ids: readonly number[]): string {
  const bytes = ids.filter((id) => id >= FIRST_BYTE_ID && id < BYTE_IDS).map((id) => id - FIRST_BYTE_ID);
  return new TextDecoder().decode(Uint8Array.from(bytes)).replaceAll('\uFFFD', '');
}
