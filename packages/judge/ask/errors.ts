/** Failures of judges: what happened, and where to look. */
import { StpError } from '@stp/base';
import { quoted } from '@stp/http';

const RAW_CHARS_MAX = 16_384;

/** @param raw the server's response instead of an answer */
export function noAnswer(
  judge: string,
  problem: string,
  options: {
    readonly retryable: boolean;
    readonly raw?: string | null;
    readonly status?: unknown;
    readonly cause?: unknown;
  },
): StpError {
  const { retryable, raw = null, status, cause } = options;
  const advice =
    status === 401 || status === 403
      ? 'Put the key that the service wants into the variable that the judge names (docs/judges.md).'
      : 'See whether the address, the model and the limits of the judge are right (docs/judges.md). What was answered is kept, and not asked again.';
  return new StpError('STP1901', `judge ${judge}: ${quoted(problem)}`, advice, {
    retryable,
    facts: { judge, status, raw: raw?.slice(0, RAW_CHARS_MAX) ?? null },
    ...(cause === undefined ? {} : { cause }),
  });
}

export function keyMissing(judge: string, variable: string): StpError {
  return new StpError(
    'STP1001',
    `judge ${judge} needs a key, and ${variable} is not set`,
    `Put the key into ${variable}.`,
  );
}
