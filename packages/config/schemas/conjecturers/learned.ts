/** Settings of conjecturers with a model: how it is sampled, and which conjectures train it. */
import { z } from 'zod';

const share = z.number().min(0).max(1);

const band = {
  /** Upper end of the band: pass rates in (0, bandMax] or (0, bandMax) train the conjecturer (STP §2.7: 1/4). */
  bandMax: share.default(0.5),
  /** Whether the band includes its upper end (stp-paper: yes; stp-code: no). */
  bandInclusive: z.boolean().default(true),
};

/** The reward of a conjecture. */
const conjectureRewardSchema = z.discriminatedUnion('kind', [
  /** Conjectures in the band train, with equal rewards before the transport (STP). */
  z.strictObject({ kind: z.literal('band'), ...band }),
  /**
   * Rewards library conjectures by the statements that this round proves with them, and by the lemmas whose proofs use
   * them (`packages/selfplay/use-credit.ts`).
   */
  z.strictObject({ kind: z.literal('use') }),
]);
export type ConjectureReward = z.infer<typeof conjectureRewardSchema>;

export const learnedConjecturer = {
  /** A small model writes statements that parse only at low temperatures. */
  temperature: z.number().min(0).max(4).default(0.6),
  maxTokens: z.number().int().positive().default(96),
  reward: conjectureRewardSchema.prefault({ kind: 'band' }),
  /**
   * Conjectures that did not use their lemma are kept as no-lemma conjectures, at most max(factor × number that used
   * it, least) (stp-code: 20 and 4096; stp-paper: 0 and 0, so the lemma must be used).
   */
  unusedLemmaFactor: z.number().nonnegative().default(20),
  unusedLemmaLeast: z.number().int().nonnegative().default(4_096),
  /**
   * Share of conjectures dropped as least elegant; elegance compares the shortest proof with the statement's length
   * (STP §2.7: 0.2).
   */
  inelegantShare: share.default(0.2),
  /** The quantile is over all conjectures (stp-paper) or within each lemma's group (stp-code). */
  elegancyGroup: z.enum(['global', 'lemma']).default('global'),
  /** Weights by optimal transport to unproved dataset statements (STP §2.8); null: each weight is the reward. */
  transport: z
    .strictObject({
      /** A conjecture receives no more once its weight is above (stp-paper: 3) or at least (stp-code: 4) this. */
      weightCap: z.number().positive().default(3),
      capInclusive: z.boolean().default(false),
    })
    .nullable()
    .prefault({}),
};
