/** The statements and sets that a run works on. */

import { artifactRefSchema } from '@stp/config/records';
import { z } from 'zod';

export const preparedDataSchema = z.strictObject({
  /** Statements of the run; training reads these only. */
  train: artifactRefSchema,
  heldOut: artifactRefSchema,
  /**
   * Hashes of the held-out statements, of their texts up to names and by `theoremKeys`, and of the theorems held out from the SFT
   * set: no conjecture is one of them.
   */
  heldOutKeys: artifactRefSchema,
  canaries: artifactRefSchema,
  sft: artifactRefSchema,
  /** Prover examples that are held out from the SFT set, for the loss on what was never trained on; may be empty. */
  sftEval: artifactRefSchema,
  /** Theorems of the SFT set (`LibraryTheorem`) without those held out: what lemmas are looked up in. No conjecture under the library's header repeats one. */
  theorems: artifactRefSchema,
  /** What came of conjectures about the library's functions, for a ranker; missing where the run has none. */
  triedConjectures: artifactRefSchema.optional(),
  counts: z.strictObject({
    libraryProofs: z.number(),
    searchedProofs: z.number(),
    conjecturerExamples: z.number(),
    /** Library theorems, or examples of a prepared set, left out of the SFT set because they hold a held-out statement up to names. */
    excludedForHeldOut: z.number(),
    /** Training statements left out because they are a held-out one up to names. */
    trainExcludedForHeldOut: z.number(),
  }),
});
export type PreparedData = z.infer<typeof preparedDataSchema>;
