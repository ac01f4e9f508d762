/** All provers: `prover.mode` of the configuration says which one a run has. */
import { z } from 'zod';
import { judgedSchema } from './judged.ts';
import { reviseSchema } from './revise.ts';
import { scriptsSchema } from './scripts.ts';
import { bothSchema, stepsSchema } from './steps.ts';
import { walksProverSchema } from './walks.ts';
import { wholeSchema } from './whole.ts';

export const proverConfigSchema = z
  .discriminatedUnion('mode', [
    wholeSchema,
    reviseSchema,
    stepsSchema,
    bothSchema,
    walksProverSchema,
    judgedSchema,
    scriptsSchema,
  ])
  .refine((prover) => prover.slots || (prover.customFormat !== null) === (prover.format === 'custom'), {
    path: ['customFormat'],
    message: 'must be given with the format custom, and with no other',
  });
export type ProverConfig = z.infer<typeof proverConfigSchema>;
export type ProverMode = ProverConfig['mode'];
/** The configuration of one prover. */
export type ProverOf<Mode extends ProverMode> = Extract<ProverConfig, { mode: Mode }>;
