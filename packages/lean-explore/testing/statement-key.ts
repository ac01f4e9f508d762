/**
 * Computes keys that statements share if they say the same in different words: function names are translated, variables
 * numbered in order of occurrence, hypotheses become premises, brackets are dropped, and either side of an equation may
 * come first. Some different statements share a key too, which is acceptable for a test that sets are disjoint.
 */
import { readSignature } from '../library/search/theorem-signature.ts';

/**
 * `vocabulary`: names of one side's functions on the other side. `infix`: prefix functions that are operators on the
 * other side.
 */
export function statementKeys(
  statement: string,
  vocabulary: Readonly<Record<string, string>> = {},
  infix: Readonly<Record<string, string>> = {},
): readonly string[] {
  const { binders, goal } = readSignature(statement);
  const hypotheses = binders.filter(({ type }) => /[=≤<≥>∧∨≠¬∣∀∃]/u.test(type)).map(({ type }) => `${type} → `);
  const variables = new Set(binders.map(({ name }) => name));
  const translated = translate([...hypotheses, goal].join(''), vocabulary, infix);
  const parts = translated.split(' → ');
  const conclusion = parts.pop()!;
  const premises = parts.map((part) => `${part} → `).join('');
  const sides = conclusion.split(' = ');
  const forms = sides.length === 2 ? [conclusion, `${sides[1]} = ${sides[0]}`] : [conclusion];
  return forms.map((form) => numberVariables(premises + form, variables));
}

function translate(
  text: string,
  vocabulary: Readonly<Record<string, string>>,
  infix: Readonly<Record<string, string>>,
) {
  let result = text.replace(/Nat\.succ (\w+)/g, '($1 + 1)');
  for (const [name, operator] of Object.entries(infix)) result = toInfix(result, name, operator);
  return result.replace(/[\p{L}_][\p{L}\p{N}_'.]*/gu, (word) => vocabulary[word] ?? word);
}

/** Rewrites `plus (f x) y` to `((f x) + y)`, inner calls first. */
function toInfix(text: string, name: string, operator: string): string {
  const at = text.search(new RegExp(`(?<![\\w.])${name} `));
  if (at < 0) return text;
  const first = readArgument(text, at + name.length + 1);
  const second = readArgument(text, first.end + 1);
  const call = `(${first.text} ${operator} ${second.text})`;
  return toInfix(text.slice(0, at) + call + text.slice(second.end), name, operator);
}

function readArgument(text: string, start: number): { readonly text: string; readonly end: number } {
  let depth = 0;
  let end = start;
  for (; end < text.length; end++) {
    if ('([{'.includes(text[end]!)) depth++;
    if (')]}'.includes(text[end]!)) depth--;
    if (depth < 0 || (depth === 0 && text[end] === ' ')) break;
  }
  return { text: text.slice(start, end), end };
}

function numberVariables(text: string, variables: ReadonlySet<string>): string {
  const numbers = new Map<string, number>();
  return text
    .replace(/[()]/g, ' ')
    .replace(/[\p{L}_][\p{L}\p{N}_'.]*/gu, (word) => {
      if (!variables.has(word)) return word;
      if (!numbers.has(word)) numbers.set(word, numbers.size);
      return `v${numbers.get(word)}`;
    })
    .replace(/\s+/g, ' ')
    .trim();
}
