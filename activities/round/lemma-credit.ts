/**
 * Credits the lemmas of a run for their use, as recorded in compiled proofs: most proofs open marks and name no lemma.
 */

import type { Proved } from '@stp/config/records';
import { useCredit } from '@stp/selfplay';
import type { GrownRecord } from './library.ts';

/**
 * Returns the credit of each lemma by name. Lemmas that no statement's proof rests on, directly or indirectly, are
 * missing (docs/algorithm.md, section 7).
 *
 * @param lemmas each after those that its proof uses
 * @param proved certified proofs; those of conjectures count only through the lemmas that these become
 */
export async function lemmaCredit(
  lemmas: readonly Pick<GrownRecord, 'name' | 'premises' | 'restsOn'>[],
  proved: AsyncIterable<Pick<Proved, 'statementId' | 'origin' | 'certificate'>>,
): Promise<ReadonlyMap<string, number>> {
  const uses = new Map<string, Set<string>>();
  for await (const { statementId, origin, certificate } of proved) {
    if (origin !== 'dataset') continue;
    const used = uses.get(statementId) ?? new Set();
    uses.set(statementId, used);
    for (const lemma of certificate.restsOn) used.add(lemma);
  }
  const credited = lemmas.map(({ name, premises, restsOn }) => ({ name, premises: restsOn ?? premises }));
  return useCredit(credited, uses.values());
}
