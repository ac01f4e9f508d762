/** Content hashes that name records and objects. */
import { createHash } from 'node:crypto';
import { declarationHead, numberedNames, ownDefinitions } from '@stp/lean-text';

/** SHA-256 of the text's UTF-8, hex. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** First 20 hex digits (80 bits) of SHA-256 over the parts, each preceded by its length so that no two lists collide. */
export function contentId(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex').slice(0, 20);
}

/**
 * Identity of a statement: its header and its text without the name. A renamed statement is the same statement, and so is
 * one whose header gives its own definitions other names.
 */
export function statementId(header: string | null, statement: string): string {
  const own = ownDefinitions(header);
  const numbered = own.length === 0 ? (text: string) => text : numberedNames(own);
  return contentId('statement', numbered(header ?? ''), numbered(normaliseStatement(statement)));
}

/** Identity of a problem in words: its text. Statements of Lean have ids of another kind. */
export const wordsId = (problem: string): string => contentId('problem in words', problem);

/** Statement text without its name and universes, and with runs of white space made one space. */
export function normaliseStatement(statement: string): string {
  const head = declarationHead(statement);
  const text = head === null ? statement : `theorem${statement.slice(head.text.length)}`;
  return text.replace(/\s+/gu, ' ').trim();
}
