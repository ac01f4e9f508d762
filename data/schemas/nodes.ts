/** Which machines a run works on (`nodes` of the configuration). */
import { z } from 'zod';

export const nodesConfigSchema = z.discriminatedUnion('provider', [
  /** The machine that the worker runs on. */
  z.strictObject({ provider: z.literal('local') }),
]);
export type NodesConfig = z.infer<typeof nodesConfigSchema>;
