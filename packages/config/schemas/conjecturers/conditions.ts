/** Settings of every conjecturer: the number of conjectures, what each starts from, and what must hold before a proof is tried. */
import { z } from 'zod';

const share = z.number().min(0).max(1);

/** A proved statement of the dataset and its lemma (STP). */
const provedSeed = z.strictObject({
  kind: z.literal('proved-seed'),
  /** A proved statement seeds conjectures when its best pass rate is above this (stp-code: 0.35; stp-paper: 0, any). */
  seedPassRateAbove: share.default(0.05),
  /** Chance that a seed is also used with no lemma (STP §2.2: 0.5). */
  noLemmaProbability: share.default(1),
  /** Inputs a lemma may have, as a share of the statements (STP §2.2: 0.1). */
  lemmaShareMax: share.default(1),
});
export type SeedConfig = z.infer<typeof provedSeed>;

/** An unproved target (SGS). */
const unprovedTarget = z.strictObject({ kind: z.literal('unproved-target') });

export const conjecturing = {
  /**
   * Conjectures that are attempted in a round, at most: a number, as many as statements (stp-code) or as many as
   * unproved statements (stp-paper).
   */
  perRoundMax: z.union([z.number().int().positive(), z.enum(['statements', 'unproved'])]),
  /** Texts wanted for each of them, since most do not pass the gate. */
  oversampling: z.number().min(1).max(100).default(16),
  conditionOn: z.discriminatedUnion('kind', [provedSeed, unprovedTarget]).prefault({ kind: 'unproved-target' }),
  /** Copies of one input at most (STP §2.2: 8). */
  copiesMax: z.number().int().positive().default(32),
  /** What a conjecture must pass before any proof is sampled, beside elaborating and being new. STP asks none of it. */
  gate: z
    .strictObject({
      /** Refused when a cheap tactic closes it. */
      refuseTrivial: z.boolean().default(true),
      /** Refused when its hypotheses contradict each other (cheaply provable). */
      refuseVacuous: z.boolean().default(true),
      /** Refused when its negation is cheaply provable. */
      refuseRefutable: z.boolean().default(false),
    })
    .prefault({}),
};
