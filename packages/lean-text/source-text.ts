/** Decodes Lean source. Lean reads UTF-8 and refuses a byte order mark. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Returns the text with line feeds only, or the reason why Lean cannot read it, as "it …". */
export function sourceText(bytes: Uint8Array): { readonly text: string } | { readonly reason: string } {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { reason: 'it is not UTF-8 text' };
  }
  if (text.startsWith(BYTE_ORDER_MARK))
    return { reason: 'it begins with a byte order mark (U+FEFF), which Lean refuses' };
  return { text: text.replaceAll('\r\n', '\n') };
}
