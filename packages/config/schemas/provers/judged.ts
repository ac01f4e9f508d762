/** The prover `judged`: problems and proofs are in words. Judges give marks where other provers' samples are verified by Lean. */
import { z } from 'zod';
import { namePrompts } from './prompts.ts';

export const judgedSchema = namePrompts.extend({ mode: z.literal('judged') });
