/** Reads a Lean file from outside as text, up to a size limit. */
import { readFile, stat } from 'node:fs/promises';

/** Mathlib's largest file is about 0.2 MB. */
export const FILE_BYTES_MAX = 4_194_304;
const BYTE_ORDER_MARK = '\uFEFF';

/** Returns the text with line feeds only, or the reason why it cannot be read. */
export async function readSource(path: string): Promise<{ text: string } | { reason: string }> {
  try {
    const facts = await stat(path);
    if (!facts.isFile()) return { reason: 'this is no file' };
    if (facts.size > FILE_BYTES_MAX) return { reason: `the file is larger than ${FILE_BYTES_MAX} bytes` };
    const bytes = await readFile(path);
    if (bytes.includes(0)) return { reason: 'this is no text file' };
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text.startsWith(BYTE_ORDER_MARK))
      return { reason: 'the file begins with a byte order mark (U+FEFF), which Lean refuses: save it without one' };
    return text.trim() === '' ? { reason: 'the file is empty' } : { text: text.replaceAll('\r\n', '\n') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { reason: 'there is no such file' };
    return { reason: `the file cannot be read as UTF-8 text: ${(error as Error).message}` };
  }
}
