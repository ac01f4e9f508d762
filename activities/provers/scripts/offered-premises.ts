/** Describes the premises that actions may name on a statement, for a ranker. */
import type { OfferedPremise } from '@stp/lean-explore';
import { isGrownName } from '@stp/lean-verifier';
import { type LemmaOffer, premiseParts, statedTerms } from '@stp/selfplay';
import { remembered, signatureOf } from '../../lemma-shelf.ts';

/**
 * Returns a function that describes a statement's premises: how each fits (`premiseParts`), and where it comes from.
 * What the run has proved serves through its marks, so a proof that names it is rare. It reads each premise's text
 * once.
 */
export function premiseReader(): (statement: string, lemmas: LemmaOffer['lemmas']) => OfferedPremise[] {
  const read = remembered(statedTerms);
  return (statement, lemmas) => {
    const stated = statedTerms(signatureOf(statement));
    return lemmas.map(({ name, written, signature }) => ({
      written,
      parts: [...premiseParts(stated, read(signature)), `from:${isGrownName(name) ? 'run' : 'library'}`],
    }));
  };
}
