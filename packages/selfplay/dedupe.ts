/** Exact deduplication of samples with multiplicity (docs/algorithm.md, section 5), and the test for equal conjectures. */

import { contentId } from '@stp/config/ids';
import type { Sample, Statement } from '@stp/config/records';
import { numberedNames, ownDefinitions } from '@stp/lean-text';
import { canonicalText } from './canonical-text.ts';
import { displayProof } from './prompts.ts';

export interface RawSample {
  readonly statementId: string;
  /** Index of the sample among the statement's samples, from 0. */
  readonly index: number;
  readonly text: string;
  readonly tokens: number;
  readonly logprob: number | null;
  readonly seed: number;
  readonly finish: 'stop' | 'length';
  /** Set if the answer has no proof; then `text` is empty. */
  readonly refused?: Sample['refused'];
  readonly changedStatement?: Sample['changedStatement'];
  readonly dropped?: Sample['dropped'];
  readonly written?: Sample['written'];
  /** Set if a search found the proof. */
  readonly steps?: Sample['steps'];
}

/**
 * Merges samples with equal proof text into one, which has their number and indices. The first sample's seed and
 * log-probability are kept. The order is that of first appearance.
 *
 * @param earlier distinct samples of the same statements; the new ones are merged with them and come after them
 */
export function dedupeSamples(raw: readonly RawSample[], model: string, earlier: readonly Sample[] = []): Sample[] {
  const distinct = new Map(earlier.map((sample) => [sample.id, { ...sample, indices: [...sample.indices] }]));
  for (const sample of raw) {
    const { statementId, index, tokens, logprob, seed, finish, refused } = sample;
    const { changedStatement, dropped, written, steps } = sample;
    const proof = displayProof(sample.text);
    // Answers without a proof are merged if they have the same text, as far as the text is known.
    const why = refused === undefined ? [] : [refused.reason, ...(written === undefined ? [] : [written])];
    const id = contentId('sample', statementId, proof, ...why);
    const seen = distinct.get(id);
    if (seen) {
      seen.multiplicity++;
      seen.indices.push(index);
    } else {
      const indices = [index];
      distinct.set(id, {
        id,
        statementId,
        proof,
        tokens,
        logprob,
        seed,
        model,
        multiplicity: 1,
        indices,
        finish,
        ...(refused === undefined ? {} : { refused }),
        ...(written === undefined ? {} : { written }),
        ...(changedStatement === undefined ? {} : { changedStatement }),
        ...(dropped === undefined ? {} : { dropped }),
        ...(steps === undefined ? {} : { steps }),
      });
    }
  }
  return [...distinct.values()];
}

/**
 * Returns a key that two statements share if they are equal up to names (their own, of bound variables, and of
 * definitions in their header), white space and the grouping of binders; see `canonicalText`.
 */
export function statementKey(header: string | null, statement: string): string {
  const own = ownDefinitions(header);
  if (own.length === 0) return contentId('key', header ?? '', canonicalText(statement));
  const numbered = numberedNames(own);
  return contentId('key', numbered(header!), canonicalText(numbered(statement)));
}

/** Returns a key like `statementKey`, which depends on the header's definitions but not on its imports and opens. */
export function keyUnderAnyHeader({ header, statement }: Pick<Statement, 'header' | 'statement'>): string {
  const own = ownDefinitions(header);
  if (own.length === 0) return statementKey(null, statement);
  const numbered = numberedNames(own);
  return contentId('key', own.map(({ text }) => numbered(text)).join('\n'), canonicalText(numbered(statement)));
}

/**
 * Returns the keys by which a held-out statement is recognised: one with its definitions, and one by its text alone,
 * since training examples have no headers.
 */
export function heldOutKeysOf(stated: Pick<Statement, 'header' | 'statement'>): string[] {
  return [...new Set([keyUnderAnyHeader(stated), statementKey(null, stated.statement)])];
}
