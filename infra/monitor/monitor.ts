/**
 * The `Monitor` port: metrics over steps, for people who watch a run. Implemented as a file of JSON Lines, for
 * Prometheus, and for trackers (`trackers/`), which get the metrics of `tracked-metrics.ts`.
 */
import { z } from 'zod';

/** Names with slash groups, which dashboards fold: `train/loss`, `lean/checks_per_second`, `round/pass_rate`. */
export const metricNameSchema = z
  .string()
  .max(120)
  .regex(/^[a-z][a-z0-9_]*(\/[a-z0-9_]+)+$/);

export const metricSchema = z.strictObject({
  name: metricNameSchema,
  /** Training step, round or another counter of the group; at least 0. */
  step: z.number().int().nonnegative(),
  /** NaN and infinities are kept, because a loss that became NaN is important. */
  value: z.union([z.number(), z.nan(), z.literal(Number.POSITIVE_INFINITY), z.literal(Number.NEGATIVE_INFINITY)]),
});
export type Metric = z.infer<typeof metricSchema>;

/** How a run ended, and the names of objects in its store that belong with its numbers. */
export const runEndSchema = z.strictObject({
  status: z.enum(['finished', 'failed']),
  objects: z.array(z.string().max(1_024)).readonly(),
});
export type RunEnd = z.infer<typeof runEndSchema>;

export interface Monitor {
  /** Resolves when the metrics would survive the end of this process. Throws STP1002 for an invalid name or step. */
  log(metrics: readonly Metric[]): Promise<void>;
  /** Reports the end of a run. Missing for monitors that take only metrics. */
  conclude?(end: RunEnd): Promise<void>;
  /** Ends the log; safe to call twice. No `log` after it. */
  finalise(): Promise<void>;
}
