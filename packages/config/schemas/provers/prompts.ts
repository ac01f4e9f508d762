/** Settings of prompts, which every prover has, whoever writes its proofs. */
import { z } from 'zod';
import { formatNameSchema, promptFormatSchema } from '../prompt-format.ts';
import { setName } from '../set-name.ts';

const shown = {
  /**
   * Prepared problem sets of compiled modules. The theorems of their library that a statement's imports load are premises: prompts may
   * show them (`lemmasShown`), and scripts may name them (`premisesTried`).
   */
  premisesFrom: z.array(setName).max(16).default([]),
  /**
   * Theorems that a prompt shows at most, of the library and of what the run has proved. Theorems that share rare names with
   * what is to be proved come first (docs/decisions/0041).
   */
  lemmasShown: z.number().int().nonnegative().max(64).default(0),
  /** About how many tokens of a prompt they may take. */
  lemmaTokens: z.number().int().nonnegative().max(65_536).default(100),
};

/** Names are slots in the model's text (docs/decisions/0013): for small models trained from nothing on the library. */
export const slotPrompts = z.strictObject({
  slots: z.literal(true),
  /** About how many tokens of a prompt the definitions may take that a statement uses. */
  definitionTokens: z.number().int().nonnegative().max(65_536),
  ...shown,
});

/** The model knows names, as pretrained ones do. */
export const namePrompts = z.strictObject({
  slots: z.literal(false),
  /** Prompts and answers of the model's family (`data/formats`, docs/models.md), for both roles. */
  format: formatNameSchema.default('embedded'),
  /** With `format` `custom`: the whole format. */
  customFormat: promptFormatSchema.nullable().default(null),
  ...shown,
});

/** The same for provers that meet proof states: the formats of model families have whole proofs only. */
export const nameStatePrompts = namePrompts.extend({
  format: z.literal('embedded').default('embedded'),
  customFormat: z.null().default(null),
});

/** Settings of the prompts of any prover. */
export type Prompts = z.infer<typeof slotPrompts> | z.infer<typeof namePrompts>;

/** Settings of provers whose proofs Lean verifies. */
export const leanProver = {
  /**
   * With `library: grow`: `marked` lets every second sample of a statement run with the library's theorems marked for `simp` and
   * `grind`; by `name` a sample uses those alone that the model names.
   */
  lemmas: z.enum(['name', 'marked']).default('name'),
  /** Premises that scripts try on a statement at most, those that are most like it first; 0: scripts name no premise. */
  premisesTried: z.number().int().nonnegative().max(64).default(0),
  /**
   * What scripts try on statements. `listed`: the list of scripts. The others try the larger space of composed actions, within `actionMs`:
   * `fixed` in its own order, the same for all statements; `rates` by the success of kinds of actions in the run so far; `learned` by
   * the chance that a ranker gives to statement and action, learned from all tries of the run.
   */
  actions: z.enum(['listed', 'fixed', 'rates', 'learned']).default('listed'),
  /** With actions: Lean's time for them by their fixed prices, ms a round for each statement that is open; the ranker shares it out. */
  actionMs: z.number().positive().max(3_600_000).default(500),
};

/** Settings of provers that sample a model, so that scripts may follow. */
export const sampledProver = {
  ...leanProver,
  /** `unproved`: the prover `scripts` tries what this one leaves unproved. Its proofs count, grow the library and train the model. */
  scripts: z.enum(['none', 'unproved']).default('none'),
};
