/**
 * Reads Levanter's metrics from its log, written by its `json_logger`: a JSON object after a prefix, among other lines.
 */
import { z } from 'zod';

const START = '{"tracker": "json_logger"';
const LINE_CHARS_MAX = 256 * 1024;

const logSchema = z.object({
  event: z.literal('log'),
  step: z.int().nonnegative(),
  metrics: z.record(z.string(), z.unknown()),
});

export interface LevanterMetrics {
  /** Counted from 1, as our steps are. */
  readonly step: number;
  readonly loss: number | null;
  readonly gradientNorm: number | null;
  readonly tokensPerSecond: number | null;
  readonly heldOutLoss: number | null;
}

/** Reads the metrics of a step from a line of the log; null for every other line. */
export function parseMetricsLine(line: string): LevanterMetrics | null {
  const start = line.indexOf(START);
  if (start < 0 || line.length > LINE_CHARS_MAX) return null;
  let json: unknown;
  try {
    json = JSON.parse(line.slice(start));
  } catch {
    return null;
  }
  const parsed = logSchema.safeParse(json);
  if (!parsed.success) return null;
  const { step, metrics } = parsed.data;
  const number = (name: string): number | null => {
    const value = metrics[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  };
  return {
    step: step + 1,
    loss: number('train/loss'),
    gradientNorm: number('grad/norm/total'),
    tokensPerSecond: number('throughput/tokens_per_second'),
    heldOutLoss: number('eval/loss'),
  };
}
