/** The conjecturer `random`: as many well-typed equations as `explore` would find, tested by nobody; a negative control. */
import { z } from 'zod';
import { conjecturing } from './conditions.ts';

export const randomSchema = z.strictObject({ source: z.literal('random'), ...conjecturing });
