/** Describes the premises that actions may name on a statement, for a ranker. */
import type { OfferedPremise } from '@stp/lean-explore';
import { type LemmaOffer, premiseParts, type StatedTerms, statedTerms } from '@stp/selfplay';
import { signatureOf } from '../../lemma-shelf.ts';

/** Returns a function that describes a statement's premises. It reads each premise's text once. */
export function premiseReader(): (statement: string, lemmas: LemmaOffer['lemmas']) => OfferedPremise[] {
  const read = new Map<string, StatedTerms>();
  const termsOf = (signature: string): StatedTerms => {
    const terms = read.get(signature) ?? statedTerms(signature);
    read.set(signature, terms);
    return terms;
  };
  return (statement, lemmas) => {
    const stated = statedTerms(signatureOf(statement));
    return lemmas.map(({ written, signature }) => ({ written, parts: premiseParts(stated, termsOf(signature)) }));
  };
}
