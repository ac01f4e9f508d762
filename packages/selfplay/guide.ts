/**
 * Scores by rule how worthwhile a conjecture is, apart from being provable. SGS (arXiv 2604.20209) asks a language
 * model, and reports that without such a guide conjectures turn into long disjunctions that anything proves and nothing
 * needs. The score is relatedness to the conjecture's source times cleanliness; each factor is in [0, 1].
 */

import { declarationHead, statementPieces } from '@stp/lean-text';
import { readSignature, splitAt } from './signature.ts';

/** A clean conjecture is at most this many times as long as its target; longer ones lose in proportion. */
const LENGTH_RATIO_FREE = 1.5;
/** Each further branch of a disjunctive conclusion: one easy branch proves them all. */
const DISJUNCT_FACTOR = 0.5;
/** Carry no meaning of their own: brackets, punctuation, quantifiers and logical connectives stand in every statement. */
const COMMON: ReadonlySet<string> = new Set([
  '.',
  ',',
  ':',
  '∀',
  '∃',
  '→',
  '↔',
  '∧',
  '∨',
  '¬',
  '=',
  '≠',
  'fun',
  'Prop',
]);
const BRACKET = /^[()[\]{}⟨⟩⦃⦄⟦⟧‹›]$/u;

/** In how many statements a symbol stands, of how many. */
export interface SymbolCounts {
  readonly statements: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** Constants and operators of a statement, without the variables that it binds. */
export function statementSymbols(statement: string): Set<string> {
  const signature = readSignature(statement);
  const bound = new Set(signature?.binders.flatMap((binder) => binder.names) ?? []);
  const { pieces } = statementPieces(statement.slice(declarationHead(statement)?.text.length ?? 0));
  const symbols = new Set<string>();
  for (const { kind, text } of pieces) {
    if (kind === 'space' || BRACKET.test(text) || COMMON.has(text)) continue;
    const head = text.split('.')[0]!;
    if (!bound.has(head)) symbols.add(text);
    // `xs.reverse` of a bound `xs`: the method is the symbol.
    else if (text.length > head.length) symbols.add(text.slice(head.length + 1));
  }
  return symbols;
}

export async function countSymbols(
  statements: Iterable<{ readonly statement: string }> | AsyncIterable<{ readonly statement: string }>,
): Promise<SymbolCounts> {
  const counts = new Map<string, number>();
  let total = 0;
  for await (const { statement } of statements) {
    total++;
    for (const symbol of statementSymbols(statement)) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  }
  return { statements: total, counts };
}

/**
 * Guide score in [0, 1] of a conjecture beside the target (or seed) that it was asked for.
 * Relatedness: weight of the symbols that both have over the weight of all that either has, a symbol weighing
 * ln((1 + statements) / (1 + statements with it)) + 1, so that rare ones count more. Cleanliness: see `cleanliness`.
 */
export function guideScore(conjecture: string, anchor: string, { statements, counts }: SymbolCounts): number {
  const weight = (symbol: string): number => Math.log((1 + statements) / (1 + (counts.get(symbol) ?? 0))) + 1;
  const own = statementSymbols(conjecture);
  const others = statementSymbols(anchor);
  let shared = 0;
  let all = 0;
  for (const symbol of new Set([...own, ...others])) {
    all += weight(symbol);
    if (own.has(symbol) && others.has(symbol)) shared += weight(symbol);
  }
  return (all === 0 ? 0 : shared / all) * cleanliness(conjecture, anchor);
}

/**
 * Product of three factors in (0, 1]: length beyond 1.5 times the anchor's, in proportion; one half for each further
 * branch of a disjunctive conclusion; the share of hypotheses that do not stand there twice.
 */
export function cleanliness(conjecture: string, anchor: string): number {
  const length = Math.min(1, (LENGTH_RATIO_FREE * anchor.length) / conjecture.length);
  const signature = readSignature(conjecture);
  if (signature === null) return length;
  const branches = splitAt(statementPieces(signature.conclusion).pieces, '∨').length;
  const hypotheses = [
    ...signature.binders.filter((binder) => binder.kind === 'explicit').flatMap((b) => b.names.map(() => b.type)),
    ...signature.antecedents,
  ].filter((type) => /[=≠<>≤≥∣∈∧∨¬↔→∃∀]/u.test(type));
  const distinct = hypotheses.length === 0 ? 1 : new Set(hypotheses).size / hypotheses.length;
  return length * DISJUNCT_FACTOR ** (branches - 1) * distinct;
}
