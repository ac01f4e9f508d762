/**
 * Equations that rewrite a part of a statement: all constants of their left side are constants of the statement. For
 * `Nat.getElem?_toList_rco`, about `(m...n).toList[i]?`, one is
 * `Std.Rco.getElem?_toList_eq {r : Std.Rco α} : r.toList[i]? = Option.filter … (succMany? i r.lower)`.
 * Retrieval by terms ranks it below statements of the same kind.
 */
import { boundIn, termsIn } from '../retrieval/term-index.ts';
import { binderTerms, conclusionOf, firstBinder, operators, RELATIONS, statementWords } from './statement-words.ts';

export interface RewriteRule {
  /** Terms of the left side. `r.toList` is `Std.Rco.toList` where a binder gives `r` that type. */
  readonly left: readonly string[];
  /** Terms of the types of its variables, without instances. */
  readonly types: readonly string[];
  /** Has it a hypothesis, which `simp` must prove before it rewrites? */
  readonly isConditional: boolean;
  /** Qualified names of the right side. */
  readonly right: readonly string[];
}

const INSTANCE = /\[[^[\]]*\]/gu;
/** Matches variables and the name at the head of their type. */
const TYPED = /[({⦃]((?:[^\s(){}[\]⦃⦄:]+ )+): \(?([\p{Lu}][\p{L}\p{N}_.'!?]+)/gu;
const FIELD = /(?<![\p{L}\p{N}_.'!?₀-₉])([\p{L}_][\p{L}\p{N}_'₀-₉]*)\.(?=\p{L})/gu;
/** What `xs[i]?`, `xs[i]!` and `xs[i]` mean. */
const ELEMENTS = [
  [/\]\?/u, 'GetElem?.getElem?'],
  [/\]!/u, 'GetElem?.getElem!'],
  [/[\p{L}\p{N})]\[[^\]]*\](?![?!])/u, 'GetElem.getElem'],
] as const;
/** Not `x.size` of a variable that the side itself binds. */
const QUALIFIED = /^\p{Lu}.*\./u;
const isWord = (term: string): boolean => /\p{L}/u.test(term);
/** Types, classes and quantifiers are in too many statements, and conditions have tactics of their own. */
const isFunction = (term: string): boolean => /(?:^|\.)[\p{Ll}_][^.]+$/u.test(term) && !CONDITIONS.has(term);
const CONDITIONS: ReadonlySet<string> = new Set(['if', 'then', 'else', 'ite', 'dite', 'bif', 'cond']);

/**
 * Returns what an equation or equivalence rewrites. Null for other theorems, where its left side applies no function,
 * and where its right side has all terms of the left one, since `simp` might rewrite it again without end.
 * @param text binders, colon and type, without keyword and name
 */
export function rewriteRuleOf(text: string): RewriteRule | null {
  const stated = statementWords(text);
  const { words, hypotheses } = conclusionOf(stated.type);
  const scope = words.slice(0, firstBinder(words));
  const relation = scope.find((one) => one.text === '↔') ?? scope.find((one) => RELATIONS.has(one.text));
  if (relation === undefined || (relation.text !== '↔' && relation.text !== '=')) return null;
  const bound = boundIn(text);
  const sides = [text.slice(words[0]!.at, relation.at), text.slice(relation.at + relation.text.length)] as const;
  const [left, right] = sides.map((side) => Map.groupBy(termsIn(side, bound), (term) => term));
  if (left!.entries().every(([term, times]) => (right!.get(term)?.length ?? 0) >= times.length)) return null;
  const types = new Map<string, string>();
  for (const [, names, type] of stated.binders.matchAll(TYPED))
    for (const name of names!.trim().split(' ')) types.set(name, type!);
  const qualified = sides[0].replace(FIELD, (_, name: string) => `${types.get(name) ?? name}.`);
  const terms = [
    ...termsIn(qualified, bound).filter((term) => term !== '?' && term !== '!'),
    ...ELEMENTS.flatMap(([written, constant]) => (written.test(qualified) ? [constant] : [])),
  ];
  // `@List.map = @List.mapTR` says how a function is compiled.
  if (!terms.some(isFunction) || text[words[0]!.at - 1] === '@') return null;
  const variables = { ...stated, binders: stated.binders.replace(INSTANCE, ' ') };
  const inBinders = operators(stated.pieces.filter(({ at }) => at < stated.binders.length));
  return {
    left: [...new Set(terms)],
    types: [...new Set(binderTerms(variables, bound))].filter((term) => isWord(term) && !/^\p{L}$/u.test(term)),
    isConditional: hypotheses > 0 || inBinders.some((one) => RELATIONS.has(one.text)),
    right: [...right!.keys()].filter((term) => QUALIFIED.test(term)),
  };
}
