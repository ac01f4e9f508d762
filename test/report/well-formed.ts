/**
 * Checks that a page is well-formed XML in its tags, attributes and entities. This is stricter than browsers: text
 * inserted without escaping breaks it.
 */

const TAG = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/y;
const ENTITY = /&(?!(?:amp|lt|gt|quot|#\d+|#x[0-9a-f]+);)/i;

/** Returns the first flaw, or null. The style sheet's text is skipped; it holds no markup. */
export function firstFlaw(page: string): string | null {
  let at = page.startsWith('<!DOCTYPE html>') ? '<!DOCTYPE html>'.length : 0;
  const open: string[] = [];
  while (at < page.length) {
    const next = page.indexOf('<', at);
    const text = page.slice(at, next < 0 ? page.length : next);
    if (ENTITY.test(text)) return `unescaped & in ${JSON.stringify(text.slice(0, 80))}`;
    if (open.length === 0 && text.trim() !== '') return `text outside the root: ${JSON.stringify(text.slice(0, 80))}`;
    if (next < 0) break;
    TAG.lastIndex = next;
    const tag = TAG.exec(page);
    if (tag === null) return `no tag at ${JSON.stringify(page.slice(next, next + 80))}`;
    const [whole, closing, name, attributes, empty] = tag;
    if (ENTITY.test(attributes!)) return `unescaped & in ${whole}`;
    if (closing === '/') {
      const expected = open.pop();
      if (expected !== name) return `</${name}> where </${expected}> is due`;
    } else if (empty !== '/') open.push(name!);
    at = next + whole.length;
    if (name === 'style' && closing === '') at = page.indexOf('</style>', at);
  }
  return open.length === 0 ? null : `<${open.at(-1)}> is not closed`;
}
