/** The symbols of a statement: by these two statements about the same functions are told to be alike. */

import { declarationHead, statementPieces } from '@stp/lean-text';
import { readSignature } from './statement-signature.ts';

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
