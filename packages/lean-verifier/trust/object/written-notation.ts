/**
 * Finds text that changes the reading of later text and leaves no constant that a statement would mention: notation, names that
 * `open … renaming` gives, instances and unification hints for what is imported.
 */
import type { Token } from '@stp/lean-text';

/** Commands of the file that declare notation, by their word. */
export const SYNTAX: ReadonlySet<string> = new Set(
  'syntax notation notation3 infix infixl infixr prefix postfix unif_hint'.split(' '),
);
/** Attributes that have Lean put a constant into statements that do not name it. */
const INSERTED: ReadonlySet<string> = new Set(['instance', 'default_instance', 'coe', 'implicit_reducible']);

/** Pieces of text that the file gives a meaning of its own. `tokens`: of the file, without comments. */
export function writtenNotation(tokens: readonly Token[]): Set<string> {
  const found = new Set<string>();
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== 'word') continue;
    let last = '';
    if (SYNTAX.has(text))
      for (const token of tokens.slice(index + 1)) {
        if (token.kind === 'string') found.add(token.text.slice(1, -1).trim());
        else if (token.text === '⊢' || (token.text === '>' && last === '=')) break;
        last = token.text;
      }
    // `open N renaming a → b, c → d`
    if (text === 'renaming')
      for (let at = index + 1; tokens[at]?.kind === 'word' && tokens[at + 2]?.kind === 'word'; at += 4) {
        found.add(tokens[at + 2]!.text);
        if (tokens[at + 3]?.text !== ',') break;
      }
  }
  found.delete('');
  return found;
}

/** Lines at which the text changes what Lean puts into statements, in words. */
export function writtenInsertions(text: string, tokens: readonly Token[]): string[] {
  const placed = ({ start }: Token, what: string): string => `line ${text.slice(0, start).split('\n').length}: ${what}`;
  return tokens.flatMap((token, index) => {
    if (token.text === 'unif_hint') return [placed(token, 'a hint of unification')];
    if (SYNTAX.has(token.text) && tokens[index - 1]?.text === 'scoped')
      return [placed(token, 'notation for files that import this one')];
    if (token.text !== 'attribute' || tokens[index + 1]?.text !== '[') return [];
    const end = tokens.findIndex((other, at) => at > index && other.text === ']');
    const word = tokens.slice(index + 2, end < 0 ? tokens.length : end).find((other) => INSERTED.has(other.text));
    return word === undefined ? [] : [placed(token, `the attribute ${word.text} for something declared elsewhere`)];
  });
}
