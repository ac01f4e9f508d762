/**
 * Finds repeated keys of a JSON text. `JSON.parse` keeps the last of two equal keys, but other readers keep the first.
 */

interface WrittenKey {
  readonly key: string;
  /** 1 in the outermost object. */
  readonly depth: number;
  /** A number that identifies the object within the text. */
  readonly object: number;
}

/** Yields all keys in order, including repetitions. `text` must be valid JSON. */
function* writtenKeys(text: string): Generator<WrittenKey> {
  const open: number[] = [];
  let objects = 0;
  for (let offset = 0; offset < text.length; offset += 1) {
    const character = text[offset]!;
    if (character === '{' || character === '[') open.push(objects++);
    else if (character === '}' || character === ']') open.pop();
    else if (character === '"') {
      const start = offset;
      for (offset += 1; text[offset] !== '"'; offset += 1) if (text[offset] === '\\') offset += 1;
      let behind = offset + 1;
      while (' \t\r\n'.includes(text[behind] ?? '-')) behind += 1;
      if (text[behind] === ':')
        yield { key: JSON.parse(text.slice(start, offset + 1)), depth: open.length, object: open.at(-1)! };
    }
  }
}

/** Returns a key that occurs twice in one object, or null. `isMeant` selects the keys to test; default: all. */
export function repeatedKey(text: string, isMeant: (key: WrittenKey) => boolean = () => true): string | null {
  const seen = new Set<string>();
  for (const written of writtenKeys(text)) {
    if (!isMeant(written)) continue;
    const own = `${written.object} ${written.key}`;
    if (seen.has(own)) return written.key;
    seen.add(own);
  }
  return null;
}
