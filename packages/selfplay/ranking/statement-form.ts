/**
 * The form of a theorem: its type without the names of variables, namespaces and types. Theorems of one form on other
 * types often have similar proofs, and where one type wraps another, the form on the inner type proves that on the
 * outer one.
 *
 * Example: `Array.map_map` and `List.map_map` have the form `map #0 ( map #1 #2 ) = map ( #0 ∘ #1 ) #2`.
 */
import { termsOf } from '../retrieval/term-index.ts';
import { isNumeral, operators, statementWords } from './statement-words.ts';

const NAME = /^[\p{L}_][\p{L}\p{N}_'!?₀-₉]*$/u;

/** @param text binders, colon and type, without keyword and name; hypotheses in binders do not count */
export function statementForm(text: string): string {
  const words = operators(statementWords(text).type).map((one) => one.text);
  const terms = new Set(termsOf(text));
  const numbers = new Map<string, string>();
  const form: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    // A numeral with its type, such as `(0 : Nat)`.
    if (word === '(' && isNumeral(words[at + 1] ?? '') && words[at + 2] === ':') {
      form.push(words[at + 1]!);
      at = words.indexOf(')', at);
      if (at < 0) break;
      continue;
    }
    const [first = '', ...parts] = word.split('.');
    const isName = NAME.test(first);
    if (!isName) form.push(word);
    else if (terms.has(first) || terms.has(word)) form.push(parts.at(-1) ?? word);
    else {
      if (!numbers.has(first)) numbers.set(first, `#${numbers.size}`);
      form.push([numbers.get(first)!, ...parts].join('.'));
    }
  }
  return form.join(' ');
}
