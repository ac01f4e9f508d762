/** Records between the steps of conjecturing: planned prompts, texts of the model, statements that passed the gate. */

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
  /** Messages of a chat. */
  messages: z.array(chatMessageSchema).readonly().optional(),
  /** The seed's statement, or the target's. */
  seedId: z.string(),
  header: z.string().nullable(),
  labels: z.array(z.string()),
  lemma: z.string().nullable(),
  origin: originSchema,
  /** Grammar of the completion; the prompt is a `TypedForm`'s then. */
  grammar: typedGrammarSchema.optional(),
  /** Place in the round's plan of the entry that a grammar was made for. */
  place: z.number().int().nonnegative().optional(),
});
export type ConjecturePlan = z.infer<typeof conjecturePlanSchema>;

/** Longest text kept of the conjecturer, in UTF-16 units: twice the longest statement. */
export const CONJECTURE_TEXT_CHARS_MAX = 16_384;

/** The prompt and the answer of a model that writes under a grammar. */
const typedTextSchema = z.strictObject({
  prompt: z.string(),
  target: z.string().max(CONJECTURE_TEXT_CHARS_MAX),
});

/** A conjecture with what it came from: what the conjecturer is trained on, should it turn out well. */
export const conjectureRecordSchema = conjectureSchema.extend({
  origin: originSchema,
  /** The conjecture in the words of a conjecturer that writes under a grammar. */
  typed: typedTextSchema.optional(),
  /** Missing where a model wrote it. */
  found: foundAtSchema.optional(),
  /** Missing where no ranker had a say. */
  chosenBy: z.enum(CHOOSERS).optional(),
});
export type ConjectureRecord = z.infer<typeof conjectureRecordSchema>;

/** Returns who chose a conjecture, also where no ranker had a say. */
export const chooserOf = ({ chosenBy, found }: Pick<ConjectureRecord, 'chosenBy' | 'found'>): Chooser =>
  chosenBy ?? (found === undefined ? 'written' : 'order');

/** Returns the statement that a conjecture is made for: its target, or its seed. */
export const anchorOf = ({ origin }: Pick<ConjecturePlan, 'origin'>): string =>
  origin.kind === 'target' ? origin.targetStatement : origin.easyStatement;

/** Conjectures that the rounds asked, with repeats. */
export async function* conjecturesOf(
  store: ObjectStore,
  manifests: readonly RoundManifest[],
): AsyncGenerator<ConjectureRecord> {
  for (const { conjectures } of manifests)
    if (conjectures !== null) yield* readRecords(store, conjectures, conjectureRecordSchema);
}

/** The conjecturer's text for the planned input of that index. */
export const conjectureTextSchema = z.strictObject({
  input: z.number().int().nonnegative(),
  text: z.string().max(CONJECTURE_TEXT_CHARS_MAX),
  /** The same in tokens of the grammar over the functions near its statement, where there is one. */
  typed: typedTextSchema.optional(),
  found: foundAtSchema.optional(),
  /** Objection of the test values: the text goes no further. */
  refused: gateVerdictSchema.extract(['unparsable', 'fails-tests', 'follows']).optional(),
});
export type ConjectureText = z.infer<typeof conjectureTextSchema>;
