/** Reads a Lean file from outside as text, up to a size limit. */
import { readFile, stat } from 'node:fs/promises';
import { sourceText } from '@stp/lean-text';

/** Mathlib's largest file is about 0.2 MB. */
export const FILE_BYTES_MAX = 4_194_304;

/** Returns the text with line feeds only, or the reason why it cannot be read. */
export async function readSource(path: string): Promise<{ text: string } | { reason: string }> {
  try {
    const facts = await stat(path);
    if (!facts.isFile()) return { reason: 'this is no file' };
    if (facts.size > FILE_BYTES_MAX) return { reason: `the file is larger than ${FILE_BYTES_MAX} bytes` };
    const bytes = await readFile(path);
    if (bytes.includes(0)) return { reason: 'this is no text file' };
    const source = sourceText(bytes);
    return 'text' in source && source.text.trim() === '' ? { reason: 'the file is empty' } : source;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { reason: 'there is no such file' };
    return { reason: `the file cannot be read: ${(error as Error).message}` };
  }
}
