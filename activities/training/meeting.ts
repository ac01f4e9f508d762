/**
 * A training by PyTorch over several machines: the processes of all machines form one group, with its rendezvous at the
 * first machine. The machines share the store and this group. Each copies its own part of a state to the store. An
 * attempt resumes on all machines from the newest complete state there, also if that came from another number of
 * machines. The states on the machines' own disks may be from different steps, so they are ignored.
 */

import { z } from 'zod';

export const meetingSchema = z.strictObject({
  address: z.string().min(1).max(253),
  port: z.int().min(1).max(65_535),
  nodes: z.int().min(1),
  /** Distinguishes the states of this attempt from those of others. */
  stateId: z.string().regex(/^[0-9a-f]{12}$/),
  /** The state in the store from which all machines resume; null: start from the beginning. */
  state: z.string().nullable(),
});
/** The agreement between the machines of one attempt. */
export type Meeting = z.infer<typeof meetingSchema>;
