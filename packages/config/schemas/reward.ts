/** The record of a sample's reward. A missing reward has no number and is never read as 0. */
import { z } from 'zod';

const id = z.string().min(1).max(128);

export const sampleRewardSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('reward'),
    sampleId: id,
    /** On the scale of its source; only differences within a group count. */
    value: z.number(),
    /** Components of the value by name, for reports: marks of judges, a verdict. */
    parts: z.record(z.string().max(64), z.number()).optional(),
  }),
  z.strictObject({
    kind: z.literal('missing'),
    sampleId: id,
    /** Why there is no reward. The sample is removed from its group. */
    why: z.string().min(1).max(512),
  }),
]);
export type SampleReward = z.infer<typeof sampleRewardSchema>;
