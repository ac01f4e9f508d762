/** Settings of conjecturers in which a model writes: how it is sampled, and which conjectures train it. */
import { z } from 'zod';

const share = z.number().min(0).max(1);

const band = {
  /** Conjectures that train the conjecturer have pass rates in (0, this] or (0, this) (STP §2.7: 1/4). */
  bandMax: share.default(0.5),
  /** Is the bound itself in the band? stp-paper: yes; stp-code: no. */
  bandInclusive: z.boolean().default(true),
};

/** The reward of a conjecture. */
const conjectureRewardSchema = z.discriminatedUnion('kind', [
  /** Conjectures in the band train, all alike before the transport (STP). */
  z.strictObject({ kind: z.literal('band'), ...band }),
  /**
   * Those of the library, by the statements that this round proves with them, and by the lemmas whose proofs use them
   * (`packages/selfplay/use-credit.ts`).
   */
  z.strictObject({ kind: z.literal('use') }),
]);
export type ConjectureReward = z.infer<typeof conjectureRewardSchema>;

export const learnedConjecturer = {
  /** A small model writes statements that parse only when it is kept near what it knows. */
  temperature: z.number().min(0).max(4).default(0.6),
  maxTokens: z.number().int().positive().default(96),
  reward: conjectureRewardSchema.prefault({ kind: 'band' }),
  /**
   * Conjectures that did not use the lemma are kept, relabelled as no-lemma ones, up to max(factor × those that did,
   * least) (stp-code: 20 and 4096; stp-paper: 0 and 0, the lemma must be used).
   */
  unusedLemmaFactor: z.number().nonnegative().default(20),
  unusedLemmaLeast: z.number().int().nonnegative().default(4_096),
  /** Share of the least elegant dropped: shortest proof over statement length (STP §2.7: 0.2). */
  inelegantShare: share.default(0.2),
  /** Quantile over all (stp-paper) or within each lemma's group (stp-code). */
  elegancyGroup: z.enum(['global', 'lemma']).default('global'),
  /** Weights by optimal transport to unproved dataset statements (STP §2.8); null: all weights are the reward. */
  transport: z
    .strictObject({
      /** A conjecture stops receiving once its weight is above (stp-paper: 3) or at least (stp-code: 4) this. */
      weightCap: z.number().positive().default(3),
      capInclusive: z.boolean().default(false),
    })
    .nullable()
    .prefault({}),
};
