/** Records between the steps of conjecturing: what is planned, what the model wrote, what passed the gate. */
import { z } from 'zod';
import { conjectureSchema } from '../data/schemas/records.ts';

/** One planned completion of the conjecturer. */
export const conjecturePlanSchema = z.strictObject({
  prompt: z.string(),
  seedId: z.string(),
  header: z.string().nullable(),
  labels: z.array(z.string()),
  lemma: z.string().nullable(),
  origin: z.strictObject({ lemmaStatement: z.string().nullable(), easyStatement: z.string(), easyProof: z.string() }),
});

/** A conjecture with what it came from: what the conjecturer is trained on, should it turn out well. */
export const conjectureRecordSchema = conjectureSchema.extend({ origin: conjecturePlanSchema.shape.origin });
export type ConjectureRecord = z.infer<typeof conjectureRecordSchema>;

/** What the conjecturer wrote for the planned input of that index. */
export const conjectureTextSchema = z.strictObject({
  input: z.number().int().nonnegative(),
  text: z.string().max(16_384),
});
