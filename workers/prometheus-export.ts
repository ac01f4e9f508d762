/** Serves a worker's metrics for Prometheus, Temporal's and those of runs, at one address. */
import type { TelemetryOptions } from '@temporalio/worker';
import { RUN_METRICS, SHARD_SECONDS_BUCKETS } from '../infra/monitor/prometheus-monitor.ts';

/** @param bindAddress `host:port`; the metrics are served under `/metrics` without a key */
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
