/** Maximum characters quoted from a server's message. */
const QUOTED_CHARS_MAX = 300;

/** Formats foreign text as one line. */
export function quoted(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > QUOTED_CHARS_MAX ? `${line.slice(0, QUOTED_CHARS_MAX)}…` : line || 'no reason given';
}
