/** Describes the premises that actions may name on a statement, for a ranker. */
import type { OfferedPremise } from '@stp/lean-explore';
import { type LemmaOffer, premiseParts, statedTerms } from '@stp/selfplay';
import { remembered, signatureOf } from '../../lemma-shelf.ts';

/** Returns a function that describes a statement's premises. It reads each premise's text once. */
export function premiseReader(): (statement: string, lemmas: LemmaOffer['lemmas']) => OfferedPremise[] {
  const read = remembered(statedTerms);
  return (statement, lemmas) => {
    const stated = statedTerms(signatureOf(statement));
    return lemmas.map(({ written, signature }) => ({ written, parts: premiseParts(stated, read(signature)) }));
  };
}
