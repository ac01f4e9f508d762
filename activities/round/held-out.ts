/** Finds statements equivalent to a held-out one. No conjecture and no training example of a round may be one. */

import type { Prompts } from '@stp/config';
import type { ArtifactRef, ObjectStore } from '@stp/config/records';
import { type Stated, statementKey } from '@stp/selfplay';
import { z } from 'zod';
import type { Sources } from '../ports.ts';
import { theoremKeys } from '../prover-forms.ts';
import { readRecords } from '../records/record-files.ts';

/** @param keys `PreparedData.heldOutKeys`; they stay in memory, about 100 bytes each */
export async function heldOutTest(
  store: ObjectStore,
  sources: Pick<Sources, 'definitions'>,
  prover: Pick<Prompts, 'slots'>,
  keys: ArtifactRef,
): Promise<(stated: Stated) => boolean> {
  const heldOut = new Set<string>();
  for await (const key of readRecords(store, keys, z.string())) heldOut.add(key);
  const theoremKeyOf = await theoremKeys(sources, prover);
  return (stated) => heldOut.has(statementKey(stated.header, stated.statement)) || heldOut.has(theoremKeyOf(stated));
}
