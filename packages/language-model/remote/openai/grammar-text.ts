/**
 * A typed grammar as text for servers: rules `name ::= …` from `root`, as xgrammar reads them (vLLM's default;
 * llama.cpp's GBNF is similar). There is a rule for each type and depth, so everything derived is finite and well
 * typed. The text cannot express that the right side uses only the left side's variables and is another term; the tests
 * on values find violations.
 */
import type { GrammarSymbol, TypedGrammar } from '@stp/config/records';
import { EQUALS } from '@stp/config/words';

/** Maximum depth of nested applications. */
const DEPTH_MAX = 4;
export const ARROW = '→';

/** Returns null if no equation can be written. */
export function typedGrammarText({ symbols, conditionType }: TypedGrammar): string | null {
  const rules = new Map<string, string>();
  const byResult = Map.groupBy(symbols, ({ result }) => result);
  /** Adds a rule and returns its name, or null if it would derive nothing. */
  const rule = (name: string, alternatives: readonly (string | null)[]): string | null => {
    const some = alternatives.filter((one) => one !== null);
    if (some.length === 0) return null;
    rules.set(name, some.join(' | '));
    return name;
  };
  const application = ({ token, arguments: its }: GrammarSymbol, depth: number): string | null => {
    const parts = its.map((type) => argument(type, depth - 1));
    return parts.includes(null) ? null : [quoted(token), ...parts.map((part) => `" " ${part}`)].join(' ');
  };
  const kept = new Map<string, string | null>();
  const once = (name: string, alternatives: () => readonly (string | null)[]): string | null => {
    if (!kept.has(name)) kept.set(name, rule(name, alternatives()));
    return kept.get(name)!;
  };
  /** Returns a term as an argument: in brackets if it is an application. */
  const argument = (type: number, depth: number): string | null =>
    once(`a${type}x${depth}`, () =>
      (byResult.get(type) ?? []).map((symbol) => {
        if (symbol.arguments.length === 0) return quoted(symbol.token);
        const inner = depth > 0 ? application(symbol, depth) : null;
        return inner === null ? null : `"(" ${inner} ")"`;
      }),
    );
  const side = (name: string, type: number, isUsed: (symbol: GrammarSymbol) => boolean): string | null =>
    once(`${name}${type}`, () => (byResult.get(type) ?? []).filter(isUsed).map((one) => application(one, DEPTH_MAX)));
  const equation = (type: number): string | null => {
    const left = side('f', type, ({ kind }) => kind === 'function');
    const right = side('t', type, () => true);
    return left === null || right === null ? null : `${left} " ${EQUALS} " ${right}`;
  };
  const equations = rule('equation', [...byResult.keys()].map(equation));
  if (equations === null) return null;
  const test = conditionType === null ? null : side('f', conditionType, ({ kind }) => kind === 'function');
  const value =
    conditionType === null
      ? null
      : side('v', conditionType, ({ kind, arguments: its }) => kind === 'constructor' && its.length === 0);
  const condition = test === null || value === null ? null : `${test} " ${EQUALS} " ${value} " ${ARROW} " ${equations}`;
  rule('root', [equations, condition]);
  const { root, ...rest } = Object.fromEntries(rules);
  return [`root ::= ${root}`, ...Object.entries(rest).map(([name, text]) => `${name} ::= ${text}`), ''].join('\n');
}

const quoted = (token: string): string => `"${token.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
