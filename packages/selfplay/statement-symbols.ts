/** The symbols of a statement, by which similar statements about the same functions are found. */

import { declarationHead, statementPieces } from '@stp/lean-text';
import { readSignature } from './statement-signature.ts';

/** Symbols that carry no meaning here: brackets, punctuation, quantifiers and connectives occur in every statement. */
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

/** Returns the constants and operators of a statement, without its bound variables. */
export function statementSymbols(statement: string): Set<string> {
  const signature = readSignature(statement);
  const bound = new Set(signature?.binders.flatMap((binder) => binder.names) ?? []);
  const { pieces } = statementPieces(statement.slice(declarationHead(statement)?.text.length ?? 0));
  const symbols = new Set<string>();
  for (const { kind, text } of pieces) {
    if (kind === 'space' || BRACKET.test(text) || COMMON.has(text)) continue;
    const head = text.split('.')[0]!;
    if (!bound.has(head)) symbols.add(text);
    // In `xs.reverse` with bound `xs` the symbol is the method.
    else if (text.length > head.length) symbols.add(text.slice(head.length + 1));
  }
  return symbols;
}
