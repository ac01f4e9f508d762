/** Credits the lemmas of a run for their use, by what compiled proofs rest on: most proofs open marks and name no lemma. */

import type { Proved } from '@stp/config/records';
import { useCredit } from '@stp/selfplay';
import type { GrownRecord } from './library.ts';

/**
 * Worth of each lemma by its name; those that no proof of a statement rests on, directly or not, are missing (docs/algorithm.md,
 * section 7).
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
