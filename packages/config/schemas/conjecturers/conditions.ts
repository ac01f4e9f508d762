/** Settings of every conjecturer: how many conjectures, what they start from, and the gate. */
import { z } from 'zod';

const share = z.number().min(0).max(1);

/** Conjectures start from a proved statement of the dataset and its lemma (STP). */
const provedSeed = z.strictObject({
  kind: z.literal('proved-seed'),
  /** A proved statement is a seed if its best pass rate is above this (stp-code: 0.35; stp-paper: 0, any). */
  seedPassRateAbove: share.default(0.05),
  /** Probability that a seed is also used without a lemma (STP §2.2: 0.5). */
  noLemmaProbability: share.default(1),
  /** Maximum number of inputs with the same lemma, as a share of the statements (STP §2.2: 0.1). */
  lemmaShareMax: share.default(1),
});
export type SeedConfig = z.infer<typeof provedSeed>;

/** Conjectures start from an unproved target (SGS). */
const unprovedTarget = z.strictObject({ kind: z.literal('unproved-target') });

export const conjecturing = {
  /**
   * Maximum number of conjectures that a round attempts: a number, as many as statements (stp-code), or as many as
   * unproved statements (stp-paper).
   */
  perRoundMax: z.union([z.number().int().positive(), z.enum(['statements', 'unproved'])]),
  /** Texts requested for each conjecture, since most do not pass the gate. */
  oversampling: z.number().min(1).max(100).default(16),
  conditionOn: z.discriminatedUnion('kind', [provedSeed, unprovedTarget]).prefault({ kind: 'unproved-target' }),
  /** Maximum number of copies of one input (STP §2.2: 8). */
  copiesMax: z.number().int().positive().default(32),
  /** Further rules of the gate, beside being new and elaborating. STP has none of them. */
  gate: z
    .strictObject({
      /** Refuse a conjecture that a cheap tactic proves. */
      refuseTrivial: z.boolean().default(true),
      /** Refuse a conjecture if a cheap tactic derives a contradiction from its hypotheses. */
      refuseVacuous: z.boolean().default(true),
      /** Refuse a conjecture if a cheap tactic proves its negation. */
      refuseRefutable: z.boolean().default(false),
    })
    .prefault({}),
};
