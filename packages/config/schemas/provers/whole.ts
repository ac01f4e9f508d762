/** The prover `whole`: a sample is a whole proof. */
import { z } from 'zod';
import { namePrompts, sampledProver, slotPrompts } from './prompts.ts';

const own = { mode: z.literal('whole'), ...sampledProver };
export const wholeSchema = z.discriminatedUnion('slots', [slotPrompts.extend(own), namePrompts.extend(own)]);
