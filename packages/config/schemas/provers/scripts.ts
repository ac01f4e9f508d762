/** The prover `scripts`: the fixed list of `packages/lean-explore/portfolio`. Nothing is sampled, so its pass rate is 0 or 1. */
import { z } from 'zod';
import { leanProver, namePrompts, slotPrompts } from './prompts.ts';

const own = { mode: z.literal('scripts'), ...leanProver };
export const scriptsSchema = z.discriminatedUnion('slots', [slotPrompts.extend(own), namePrompts.extend(own)]);
