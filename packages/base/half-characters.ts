/**
 * Finds half characters: a JSON text can hold one half of a UTF-16 pair (`"\ud800"`). Such a string has no UTF-8, and every writer puts
 * U+FFFD in its place, so two different strings would become one file, one hash and one verdict.
 */

/** Returns the keys that lead to a string of `value` with half a character, or to such a key; null if there is none. Reads no cycles. */
export function halfCharacterAt(value: unknown): readonly (string | number)[] | null {
  // Not by recursion: a body may nest deeper than the stack.
  const open: { readonly value: unknown; readonly path: Path | null }[] = [{ value, path: null }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: own, path } = next;
    if (typeof own === 'string' && !own.isWellFormed()) return written(path);
    if (typeof own !== 'object' || own === null) continue;
    for (const [key, inner] of Object.entries(own).reverse()) {
      const at: Path = { key: Array.isArray(own) ? Number(key) : key, above: path };
      if (!key.isWellFormed()) return written(at);
      open.push({ value: inner, path: at });
    }
  }
  return null;
}

interface Path {
  readonly key: string | number;
  readonly above: Path | null;
}

function written(path: Path | null): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = path; at !== null; at = at.above)
    keys.push(typeof at.key === 'string' ? at.key.toWellFormed() : at.key);
  return keys.reverse();
}

/** What is said of a text with half a character. */
export const HALF_CHARACTER = 'it holds half a character, which has no UTF-8';
