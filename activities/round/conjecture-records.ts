/**
 * Records between the steps of conjecturing: planned prompts, the conjecturer's texts, and statements that passed the
 * gate.
 */

import {
  CHOOSERS,
  type Chooser,
  chatMessageSchema,
  conjectureSchema,
  foundAtSchema,
  gateVerdictSchema,
  type ObjectStore,
  type RoundManifest,
  typedGrammarSchema,
} from '@stp/config/records';
import { z } from 'zod';
import { readRecords } from '../records/record-files.ts';

const originSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('seed'),
    lemmaStatement: z.string().nullable(),
    easyStatement: z.string(),
    easyProof: z.string(),
  }),
  z.strictObject({ kind: z.literal('target'), targetStatement: z.string() }),
]);

/** One planned completion of the conjecturer. */
export const conjecturePlanSchema = z.strictObject({
  prompt: z.string(),
  /** Messages of a chat, for a chat model. */
  messages: z.array(chatMessageSchema).readonly().optional(),
  /** Id of the seed or the target. */
  seedId: z.string(),
  header: z.string().nullable(),
  labels: z.array(z.string()),
  lemma: z.string().nullable(),
  origin: originSchema,
  /** Grammar of the completion. With it the prompt is that of a `TypedForm`. */
  grammar: typedGrammarSchema.optional(),
  /** Index in the round's plan of the entry that a grammar was made for. */
  entryIndex: z.number().int().nonnegative().optional(),
});
export type ConjecturePlan = z.infer<typeof conjecturePlanSchema>;

/** Most characters kept of a conjecturer's text, in UTF-16 units: twice the longest statement. */
export const CONJECTURE_TEXT_CHARS_MAX = 16_384;

/** The prompt and the answer of a model that writes under a grammar. */
const typedTextSchema = z.strictObject({
  prompt: z.string(),
  target: z.string().max(CONJECTURE_TEXT_CHARS_MAX),
});

/** A conjecture and its origin, from which the conjecturer's training example is made. */
export const conjectureRecordSchema = conjectureSchema.extend({
  origin: originSchema,
  /** The conjecture in the tokens of a conjecturer that writes under a grammar. */
  typed: typedTextSchema.optional(),
  /** Position in the exploration; missing if a model wrote it. */
  found: foundAtSchema.optional(),
  /** Missing if the round had no ranker. */
  chosenBy: z.enum(CHOOSERS).optional(),
});
export type ConjectureRecord = z.infer<typeof conjectureRecordSchema>;

/** Returns what chose a conjecture, also for a round without a ranker. */
export const chooserOf = ({ chosenBy, found }: Pick<ConjectureRecord, 'chosenBy' | 'found'>): Chooser =>
  chosenBy ?? (found === undefined ? 'written' : 'order');

/** Returns the statement that a conjecture starts from: its target or its seed. */
export const anchorOf = ({ origin }: Pick<ConjecturePlan, 'origin'>): string =>
  origin.kind === 'target' ? origin.targetStatement : origin.easyStatement;

/** Yields the conjectures that the rounds attempted, with repeats. */
export async function* conjecturesOf(
  store: ObjectStore,
  manifests: readonly RoundManifest[],
): AsyncGenerator<ConjectureRecord> {
  for (const { conjectures } of manifests)
    if (conjectures !== null) yield* readRecords(store, conjectures, conjectureRecordSchema);
}

/** The conjecturer's text for the planned input of this index. */
export const conjectureTextSchema = z.strictObject({
  input: z.number().int().nonnegative(),
  text: z.string().max(CONJECTURE_TEXT_CHARS_MAX),
  /** The text in tokens of the grammar over the functions near its statement, if there is a grammar. */
  typed: typedTextSchema.optional(),
  found: foundAtSchema.optional(),
  /** Result of the test values if they refute the text, which is then dropped. */
  refused: gateVerdictSchema.extract(['unparsable', 'fails-tests', 'follows']).optional(),
});
export type ConjectureText = z.infer<typeof conjectureTextSchema>;
