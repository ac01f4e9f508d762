/** No conjecturer: expert iteration, parallel sampling, and training by reward. */
import { z } from 'zod';

export const noneSchema = z.strictObject({ source: z.literal('none') });
