/**
 * A training by PyTorch over several machines: the processes of all machines are one group, which meets at the first
 * machine. The machines share the store and this group; each copies its own part of a state to the store, and an
 * attempt resumes on all machines from the newest complete state there, also from one of another number of machines.
 * A state on one machine's own disk may be from another step than those of the others, so it is ignored.
 */

import { z } from 'zod';

export const meetingSchema = z.strictObject({
  address: z.string().min(1).max(253),
  port: z.int().min(1).max(65_535),
  nodes: z.int().min(1),
  /** Tells the states of this attempt from those of others. */
  stateId: z.string().regex(/^[0-9a-f]{12}$/),
  /** The state in the store from which all machines resume; null: from the beginning. */
  state: z.string().nullable(),
});
/** The agreement of the machines of one attempt. */
export type Meeting = z.infer<typeof meetingSchema>;
