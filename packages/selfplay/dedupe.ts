/** Exact deduplication of samples with multiplicity (docs/algorithm.md, section 5), and the test for equal conjectures. */

import { contentId } from '@stp/config/ids';
import type { Sample, Statement } from '@stp/config/records';
import { numberedNames, ownDefinitions } from '@stp/lean-text';
import { canonicalText } from './canonical-text.ts';
import { displayProof } from './prompts.ts';

export interface RawSample {
  readonly statementId: string;
  /** Which of its statement's samples it is, from 0. */
  readonly index: number;
  readonly text: string;
  readonly tokens: number;
  readonly logprob: number | null;
  readonly seed: number;
  readonly finish: 'stop' | 'length';
  /** The answer gave no proof, and `text` is empty. */
  readonly refused?: Sample['refused'];
  readonly changedStatement?: Sample['changedStatement'];
  readonly dropped?: Sample['dropped'];
  readonly written?: Sample['written'];
  /** Set if a search found the proof. */
  readonly steps?: Sample['steps'];
}

/**
 * Samples with equal proof text become one that counts them and says which they were; the first one's seed and
 * log-probability stay. Order is that of the first appearance.
 *
 * @param earlier distinct samples of the same statements; the new ones are counted with them and come after them
 */
export function dedupeSamples(raw: readonly RawSample[], model: string, earlier: readonly Sample[] = []): Sample[] {
  const distinct = new Map(earlier.map((sample) => [sample.id, { ...sample, indices: [...sample.indices] }]));
  for (const sample of raw) {
    const { statementId, index, tokens, logprob, seed, finish, refused } = sample;
    const { changedStatement, dropped, written, steps } = sample;
    const proof = displayProof(sample.text);
    // Of answers without a proof those count as one that say the same, where it is known what they say.
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
 * Key under which two statements are the same up to names (their own, those of bound variables and of definitions in their
 * header), white space and the way their binders are grouped; see `canonicalText`.
 */
export function statementKey(header: string | null, statement: string): string {
  const own = ownDefinitions(header);
  if (own.length === 0) return contentId('key', header ?? '', canonicalText(statement));
  const numbered = numberedNames(own);
  return contentId('key', numbered(header!), canonicalText(numbered(statement)));
}

/** Makes a key as `statementKey` does, in which the header's definitions count, but not its imports and opens. */
export function keyUnderAnyHeader({ header, statement }: Pick<Statement, 'header' | 'statement'>): string {
  const own = ownDefinitions(header);
  if (own.length === 0) return statementKey(null, statement);
  const numbered = numberedNames(own);
  return contentId('key', own.map(({ text }) => numbered(text)).join('\n'), canonicalText(numbered(statement)));
}

/**
 * Keys by which a held-out statement is recognised: with its definitions, and by its text alone, since training examples
 * come without headers.
 */
export function heldOutKeysOf(stated: Pick<Statement, 'header' | 'statement'>): string[] {
  return [...new Set([keyUnderAnyHeader(stated), statementKey(null, stated.statement)])];
}
