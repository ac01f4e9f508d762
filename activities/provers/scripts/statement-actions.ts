/** Composes a statement's actions from its context and the theorems that it may use. */
import { type Action, actionsFor, type StatementContext } from '@stp/lean-explore';
import { isGrownName } from '@stp/lean-verifier';
import { premiseParts, statedTerms } from '@stp/selfplay';
import { type LemmaOffers, remembered, type StatementToProve } from '../../lemma-shelf.ts';
import { signatureOf } from '../../theorem-text.ts';

const ANALOGUES_MAX = 2;
const IMAGES_MAX = 4;
const RULES_MAX = 2;

/**
 * Returns a function that composes a statement's actions. For a ranker it describes how each premise fits
 * (`premiseParts`) and where it comes from. What the run has proved serves through its marks, so a proof that names it
 * is rare. It reads each premise's text once.
 */
export function actionsOver(offersFor: LemmaOffers): (asked: StatementToProve, context: StatementContext) => Action[] {
  const read = remembered(statedTerms);
  return (asked, context) => {
    const { offer, analogues, images, rules } = offersFor(asked);
    const stated = statedTerms(signatureOf(asked.statement));
    const alike = analogues(ANALOGUES_MAX);
    const names = new Set(alike.map((one) => one.name));
    const { lemmas } = offer();
    const all = [...alike, ...lemmas.filter(({ name }) => !names.has(name))].slice(0, lemmas.length);
    const premises = all.map(({ name, written, signature }) => ({
      written,
      parts: [
        ...premiseParts(stated, read(signature)),
        `from:${isGrownName(name) ? 'run' : 'library'}`,
        ...(names.has(name) ? ['form:same'] : []),
      ],
    }));
    const analogous = alike.map(({ written }) => written);
    const found = images(context.core, IMAGES_MAX).map((image) => ({ ...image, analogues: analogous }));
    return actionsFor(context, premises, found, rules(context.core, RULES_MAX));
  };
}
