/** The statements and data sets that a run works on. */

import { artifactRefSchema } from '@stp/config/records';
import { z } from 'zod';

export const preparedDataSchema = z.strictObject({
  /** Training statements of the run; training reads only these. */
  train: artifactRefSchema,
  heldOut: artifactRefSchema,
  /**
   * Hashes of the held-out statements (of their texts up to names, and by `theoremKeys`) and of the theorems held out
   * from the SFT set. No conjecture may have one of them.
   */
  heldOutKeys: artifactRefSchema,
  canaries: artifactRefSchema,
  sft: artifactRefSchema,
  /** Prover examples held out from the SFT set, on which the held-out loss is measured; may be empty. */
  sftEval: artifactRefSchema,
  /**
   * Theorems of the SFT set (`LibraryTheorem`) without the held-out ones. Lemmas are looked up here, and no conjecture
   * under the library's header repeats one.
   */
  theorems: artifactRefSchema,
  /** Outcomes of conjectures about the library's functions, for a ranker; missing if the run has none. */
  triedConjectures: artifactRefSchema.optional(),
  /** Weights of the ranker of actions that the run starts from (`prover.rankerFrom`); missing if it has none. */
  ranker: artifactRefSchema.optional(),
  counts: z.strictObject({
    libraryProofs: z.number(),
    searchedProofs: z.number(),
    conjecturerExamples: z.number(),
    /**
     * Library theorems, or examples of a prepared set, that are left out of the SFT set because they contain a held-out
     * statement up to names.
     */
    excludedForHeldOut: z.number(),
    /** Training statements left out because they equal a held-out one up to names. */
    trainExcludedForHeldOut: z.number(),
  }),
});
export type PreparedData = z.infer<typeof preparedDataSchema>;
