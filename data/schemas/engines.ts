/** What trains and what samples (`engines` of the configuration). */
import { z } from 'zod';

export const enginesConfigSchema = z.strictObject({
  /** `embedded`: the ONNX training graph in the worker's own child process. */
  trainer: z
    .discriminatedUnion('kind', [z.strictObject({ kind: z.literal('embedded') })])
    .default({ kind: 'embedded' }),
  /** `embedded`: the ONNX decoder, or the servers that STP_GENERATOR_URL names. */
  generator: z
    .discriminatedUnion('kind', [z.strictObject({ kind: z.literal('embedded') })])
    .default({ kind: 'embedded' }),
});
export type EnginesConfig = z.infer<typeof enginesConfigSchema>;
