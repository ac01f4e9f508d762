/** Parses SMT-LIB text to nested lists of symbols, without interpreting them. Handles comments and quoted symbols. */
import { StpError } from '@stp/base';

export type SExpression = string | readonly SExpression[];

/** The deepest TIP problem nests 24 lists. */
const DEPTH_MAX = 256;
const TEXT_CHARS_MAX = 1_048_576;
const TOKEN = /\s+|;[^\n]*|[()]|\|[^|]*\||[^\s();|]+/uy;

/**
 * Returns the top-level forms of `text`; `|…|` symbols lose their bars. Throws STP1501 with `where` and line for
 * unbalanced brackets.
 */
export function parseSExpressions(text: string, where: string): readonly SExpression[] {
  const fail = (problem: string, offset: number) =>
    new StpError(
      'STP1501',
      `${where}:${text.slice(0, offset).split('\n').length}: ${problem}`,
      'Give SMT-LIB text as the TIP benchmarks have it.',
      { facts: { where } },
    );
  if (text.length > TEXT_CHARS_MAX) throw fail('text too long', 0);
  const stack: SExpression[][] = [[]];
  for (let offset = 0; offset < text.length; ) {
    TOKEN.lastIndex = offset;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) throw fail('unended quoted symbol', offset);
    if (token === '(') {
      if (stack.length > DEPTH_MAX) throw fail(`nested deeper than ${DEPTH_MAX}`, offset);
      stack.push([]);
    } else if (token === ')') {
      const list = stack.pop()!;
      if (stack.length === 0) throw fail('")" without "("', offset);
      stack.at(-1)!.push(list);
    } else if (/^[^\s;]/u.test(token)) {
      stack.at(-1)!.push(token.startsWith('|') ? token.slice(1, -1) : token);
    }
    offset += token.length;
  }
  if (stack.length > 1) throw fail('"(" without ")"', text.length);
  return stack[0]!;
}
