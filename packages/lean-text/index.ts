/** Reads Lean source as text: tokens, commands, declarations. */
export { findDeceivingCharacter, findRefusedCharacter } from './characters.ts';
export { type Command, MODIFIERS, readCommands } from './commands.ts';
export { declarationHead } from './declaration-head.ts';
export { type FileHeader, readHeader } from './file-header.ts';
export { openedNamespaces } from './opened-namespaces.ts';
export { numberedNames, ownDefinitions } from './own-definitions.ts';
export { proofSigns } from './proof-start.ts';
export { lineAt, type MaskedSource, maskSource } from './scan.ts';
export { sourceText } from './source-text.ts';
export { CLOSERS, onOneLine, proofAssignment, statementPieces, type TextPiece, typeColon } from './statement-text.ts';
export { isDocComment, nameParts, positionAt, type Token, tokenize } from './tokenizer.ts';
