/**
 * Finds text that changes the reading of later text without leaving a constant that a statement would mention:
 * notation, names made by `open … renaming` and `export`, and instances and unification hints for imported constants.
 */
import { nameParts, type Token } from '@stp/lean-text';

/** Keywords of commands that declare notation. */
export const SYNTAX: ReadonlySet<string> = new Set(
  'syntax notation notation3 infix infixl infixr prefix postfix unif_hint'.split(' '),
);
/** Attributes that make Lean insert a constant into statements that do not name it. */
const INSERTED: ReadonlySet<string> = new Set(['instance', 'default_instance', 'coe', 'implicit_reducible']);

/**
 * Returns the pieces of text to which the file gives a new meaning. `tokens` are those of the file, without comments.
 */
export function writtenNotation(tokens: readonly Token[]): Set<string> {
  const found = new Set<string>();
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== 'word') continue;
    let last = '';
    if (SYNTAX.has(text))
      for (const token of tokens.slice(index + 1)) {
        if (token.kind === 'string') found.add(token.text.replace(/^r?#*"|"#*$/gu, '').trim());
        else if (token.text === '⊢' || (token.text === '>' && last === '=')) break;
        last = token.text;
      }
    // `open N renaming a → b, c -> d`
    if (text === 'renaming')
      for (let at = index + 1; tokens[at]?.kind === 'word'; at += 2) {
        at += tokens[at + 1]?.text === '→' ? 2 : 3;
        if (tokens[at]?.kind !== 'word') break;
        found.add(nameParts(tokens[at]!.text).join('.'));
        if (tokens[at + 1]?.text !== ',') break;
      }
    // `export N (a b)`
    if (text === 'export' && tokens[index + 2]?.text === '(')
      for (let at = index + 3; tokens[at]?.kind === 'word'; at += 1) found.add(nameParts(tokens[at]!.text).join('.'));
  }
  found.delete('');
  return found;
}

/** Describes the lines at which the text changes what Lean inserts into statements. */
export function writtenInsertions(text: string, tokens: readonly Token[]): string[] {
  const located = ({ start }: Token, what: string): string =>
    `line ${text.slice(0, start).split('\n').length}: ${what}`;
  return tokens.flatMap((token, index) => {
    if (token.text === 'unif_hint') return [located(token, 'a hint of unification')];
    if (SYNTAX.has(token.text) && tokens[index - 1]?.text === 'scoped')
      return [located(token, 'notation for files that import this one')];
    if (token.text !== 'attribute' || tokens[index + 1]?.text !== '[') return [];
    const end = tokens.findIndex((other, at) => at > index && other.text === ']');
    const word = tokens.slice(index + 2, end < 0 ? tokens.length : end).find((other) => INSERTED.has(other.text));
    return word === undefined ? [] : [located(token, `the attribute ${word.text} for something declared elsewhere`)];
  });
}
