/** Settings of prompts, which every prover has. */
import { z } from 'zod';
import { formatNameSchema, promptFormatSchema } from '../prompt-format.ts';
import { setName } from '../set-name.ts';

const shown = {
  /**
   * Prepared problem sets of compiled modules. Premises are their library's theorems that a statement's imports load:
   * prompts may show them (`lemmasShown`), and scripts may name them (`premisesTried`).
   */
  premisesFrom: z.array(setName).max(16).default([]),
  /**
   * Maximum number of theorems in a prompt, from the library and from the run's proofs. Theorems that share rare names
   * with the statement come first (docs/decisions/0041).
   */
  lemmasShown: z.number().int().nonnegative().max(64).default(0),
  /** Approximate number of prompt tokens for these theorems. */
  lemmaTokens: z.number().int().nonnegative().max(65_536).default(100),
};

/** Names are slots in the model's text (docs/decisions/0013): for small models trained from nothing on the library. */
export const slotPrompts = z.strictObject({
  slots: z.literal(true),
  /** Approximate number of prompt tokens for the definitions that a statement uses. */
  definitionTokens: z.number().int().nonnegative().max(65_536),
  ...shown,
});

/** Names stay as they are, for models that know them, such as pretrained ones. */
export const namePrompts = z.strictObject({
  slots: z.literal(false),
  /** Format of prompts and answers for the model's family (`data/formats`, docs/models.md), for both roles. */
  format: formatNameSchema.default('embedded'),
  /** With `format` `custom`: the whole format. */
  customFormat: promptFormatSchema.nullable().default(null),
  ...shown,
});

/** The same for provers over proof states. The formats of model families support whole proofs only. */
export const nameStatePrompts = namePrompts.extend({
  format: z.literal('embedded').default('embedded'),
  customFormat: z.null().default(null),
});

/** Settings of the prompts of any prover. */
export type Prompts = z.infer<typeof slotPrompts> | z.infer<typeof namePrompts>;

/** Settings of provers whose proofs Lean verifies. */
export const leanProver = {
  /**
   * With `library: grow`: `marked` lets every second sample of a statement run with the library's theorems marked for
   * `simp` and `grind`; with `name` a sample uses only the theorems that the model names.
   */
  lemmas: z.enum(['name', 'marked']).default('name'),
  /** Maximum number of premises that scripts try on a statement, the most similar ones first; 0: none. */
  premisesTried: z.number().int().nonnegative().max(64).default(0),
  /**
   * What scripts try on statements. `listed`: the list of scripts. The others try the larger space of composed
   * actions, within `actionMs`: `fixed` in one order for all statements; `learned` by a ranker's probability for
   * statement and action, learned from all tries of the run.
   */
  actions: z.enum(['listed', 'fixed', 'learned']).default('listed'),
  /**
   * With `learned`: the ranker that the run starts from, `rankers/NAME.bin` in the data folder or in `data`. It was
   * trained on the tries of another run. Null: a ranker without weights.
   */
  rankerFrom: setName.nullable().default(null),
  /**
   * With actions: Lean's time by the actions' fixed prices, ms for each open statement and round. The ranker
   * distributes it.
   */
  actionMs: z.number().positive().max(3_600_000).default(500),
};

/** Settings of provers that sample a model; scripts may follow it. */
export const sampledProver = {
  ...leanProver,
  /**
   * `unproved`: scripts try the statements that the prover leaves unproved. Their proofs count, grow the library and
   * train the model.
   */
  scripts: z.enum(['none', 'unproved']).default('none'),
};
