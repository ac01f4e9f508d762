/** Content hashes that name records and objects. */
import { createHash } from 'node:crypto';
import { declarationHead, numberedNames, ownDefinitions } from '@stp/lean-text';

/** Returns the SHA-256 of a text's UTF-8 bytes, hex. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Returns the first 20 hex digits (80 bits) of SHA-256 over the parts. Each part follows its length, so lists do not
 * collide.
 */
export function contentId(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex').slice(0, 20);
}

/**
 * Identifies a statement by its header and its text without the name. Renaming the statement does not change the id,
 * and neither does renaming the header's own definitions.
 */
export function statementId(header: string | null, statement: string): string {
  const own = ownDefinitions(header);
  const numbered = own.length === 0 ? (text: string) => text : numberedNames(own);
  return contentId('statement', numbered(header ?? ''), numbered(normaliseStatement(statement)));
}

/** Identifies a problem in words by its text. The id of a Lean statement never equals it. */
export const wordsId = (problem: string): string => contentId('problem in words', problem);

/** Returns the statement's text without its name and universes, with each run of white space as one space. */
export function normaliseStatement(statement: string): string {
  const head = declarationHead(statement);
  const text = head === null ? statement : `theorem${statement.slice(head.text.length)}`;
  return text.replace(/\s+/gu, ' ').trim();
}
