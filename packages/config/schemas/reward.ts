/** The record of a sample's reward. A reward that could not be had is no number: it is never read as 0. */
import { z } from 'zod';

const id = z.string().min(1).max(128);

export const sampleRewardSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('reward'),
    sampleId: id,
    /** On the scale of its source; only differences within a group count. */
    value: z.number(),
    /** What the value was made of, by name, for reports: marks of judges, a verdict. */
    parts: z.record(z.string().max(64), z.number()).optional(),
  }),
  z.strictObject({
    kind: z.literal('missing'),
    sampleId: id,
    /** Why it could not be had, in words. The sample is taken out of its group. */
    why: z.string().min(1).max(512),
  }),
]);
export type SampleReward = z.infer<typeof sampleRewardSchema>;
