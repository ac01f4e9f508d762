/** Validates the options of samples. */

import { describeIssues, StpError } from '@stp/base';
import { z } from 'zod';
import {
  type SampleRequest,
  type SamplingOptions,
  STOP_CHARS_MAX,
  STOPS_MAX,
  TOP_LOGPROBS_MAX,
} from '../../generator.ts';

const stopSchema = z
  .string()
  .min(1)
  .max(STOP_CHARS_MAX)
  .refine((text) => text.isWellFormed(), 'half a character');

const samplingSchema = z.strictObject({
  temperature: z.number().nonnegative().max(100),
  topP: z.number().positive().max(1),
  maxTokens: z.int().positive(),
  stop: z.array(stopSchema).max(STOPS_MAX).optional(),
  tokenLogprobs: z.boolean().optional(),
  topLogprobs: z.int().positive().max(TOP_LOGPROBS_MAX).optional(),
});
const seedSchema = z.int().nonnegative();

/** Throws STP1002 for invalid requests or options. */
export function checkRequests(requests: readonly SampleRequest[], sampling: SamplingOptions): void {
  const parsed = samplingSchema.safeParse(sampling);
  if (!parsed.success) throw invalid(describeIssues(parsed.error));
  const unfit = requests.find(({ seed }) => !seedSchema.safeParse(seed).success);
  if (unfit !== undefined) throw invalid(`seed ${unfit.seed} of request ${unfit.id}`);
}

function invalid(problem: string): StpError {
  return new StpError(
    'STP1002',
    `sampling: ${problem}`,
    'See `SamplingOptions` and `SampleRequest` for what is accepted.',
  );
}
