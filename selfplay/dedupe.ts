/** Exact dedupe of samples with multiplicity (STP §2.6), and what counts as the same conjecture. */
import { contentId } from '../data/schemas/ids.ts';
import type { Sample } from '../data/schemas/records.ts';
import { displayProof, displayStatement } from './prompts.ts';

export interface RawSample {
  readonly statementId: string;
  /** Which of its statement's samples it is, from 0. */
  readonly index: number;
  readonly text: string;
  readonly tokens: number;
  readonly logprob: number;
  readonly seed: number;
  readonly finish: 'stop' | 'length';
}

/**
 * Samples with equal proof text become one that counts them and says which they were; the first one's seed and
 * log-probability stay. Order is that of the first appearance.
 */
export function dedupeSamples(raw: readonly RawSample[], model: string): Sample[] {
  const distinct = new Map<string, Sample>();
  for (const sample of raw) {
    const { statementId, index, tokens, logprob, seed, finish } = sample;
    const proof = displayProof(sample.text);
    const id = contentId('sample', statementId, proof);
    const seen = distinct.get(id);
    if (seen) {
      seen.multiplicity++;
      seen.indices.push(index);
    } else {
      const indices = [index];
      distinct.set(id, { id, statementId, proof, tokens, logprob, seed, model, multiplicity: 1, indices, finish });
    }
  }
  return [...distinct.values()];
}

/** Key under which two statements are the same up to name, white space and the names of bound variables in binders. */
export function statementKey(header: string | null, statement: string): string {
  let text = displayStatement(statement);
  const names = [...text.matchAll(/[({⦃]\s*([^:(){}⦃⦄[\]]+?)\s*:(?!=)/gu)].flatMap((match) => match[1]!.split(/\s+/u));
  const identifier = /[\p{L}_][\p{L}\p{N}_'!?₀-₉]*(?:\.[\p{L}_][\p{L}\p{N}_'!?₀-₉]*)*/gu;
  const renamed = new Map([...new Set(names)].map((name, index) => [name, `x${index}`]));
  text = text.replace(identifier, (word) => {
    const [head, ...rest] = word.split('.');
    const fresh = renamed.get(head!);
    return fresh === undefined ? word : [fresh, ...rest].join('.');
  });
  return contentId('key', header ?? '', text.replace(/\s+/gu, ''));
}
