/** Metrics of a worker for Prometheus: Temporal's own and those of runs, at one address. */
import type { TelemetryOptions } from '@temporalio/worker';
import { RUN_METRICS, SHARD_SECONDS_BUCKETS } from '../infra/monitor/prometheus-monitor.ts';

/** @param bindAddress `host:port`; the metrics are at `/metrics` there, without a key */
export function prometheusExport(bindAddress: string): TelemetryOptions {
  return {
    metrics: {
      prometheus: {
        bindAddress,
        countersTotalSuffix: true,
        unitSuffix: true,
        useSecondsForDurations: true,
        histogramBucketOverrides: { [RUN_METRICS.shard]: SHARD_SECONDS_BUCKETS },
      },
    },
  };
}
