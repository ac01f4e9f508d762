/** Records of the conjectures that train the conjecturer, and of the statements that they are matched to. */

import { type RunConfig, rewardsUse } from '@stp/config';
import type { ArtifactRef, RoundManifest } from '@stp/config/records';
import { z } from 'zod';

/** A conjecture that trains, with the text that is embedded. Files of them are sorted by id. */
export const chosenConjectureSchema = z.strictObject({
  id: z.string(),
  text: z.string(),
  withLemma: z.boolean(),
  weight: z.number().positive(),
});
export type ChosenRecord = z.infer<typeof chosenConjectureSchema>;

/** An unproved statement. Their file has the random order in which the transport takes them. */
export const transportTargetSchema = z.strictObject({
  id: z.string(),
  text: z.string(),
  count: z.number().int().positive(),
});

/**
 * Returns the files of the conjectures that a round may train on: the round's own, and those of earlier rounds if use
 * is rewarded.
 */
export function conjectureFiles(
  { conjectures }: Pick<RunConfig, 'conjectures'>,
  own: ArtifactRef | null,
  earlier: readonly RoundManifest[],
): ArtifactRef[] {
  const before = rewardsUse(conjectures) ? earlier.map((manifest) => manifest.conjectures) : [];
  return [own, ...before].filter((ref) => ref !== null);
}
