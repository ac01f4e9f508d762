/**
 * Finds unpaired surrogates: a JSON text can contain one half of a UTF-16 pair (`"\ud800"`). Such a string has no UTF-8
 * form, and writers replace the half by U+FFFD, so two different strings would get the same file, hash and verdict.
 */

/**
 * Returns the path to a string or key in `value` with an unpaired surrogate; null if there is none. `value` must not
 * contain cycles.
 */
export function halfCharacterAt(value: unknown): readonly (string | number)[] | null {
  // Not recursive, because a body may be nested deeper than the stack allows.
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

/** Message about a text with an unpaired surrogate. */
export const HALF_CHARACTER = 'it holds half a character, which has no UTF-8';
