/**
 * A run's metrics for Prometheus: sums and last values under a few fixed names, whereas the log has a name for every
 * stage. Figures of rounds have the trackers' names. They use the meter of Temporal's runtime, so a worker serves its
 * own metrics and the SDK's at one address. Sums count work done; a shard that is done twice counts twice.
 */
import type { MetricMeter } from '@temporalio/common';
import type { Metric, Monitor } from './monitor.ts';
import { TRACKED_METRICS } from './tracked-metrics.ts';

/** Names without the exporter's suffixes: `_total` for sums, and units. */
export const RUN_METRICS = {
  samples: 'stp_samples',
  tokens: 'stp_tokens',
  verdicts: 'stp_verdicts',
  conjectures: 'stp_conjectures',
  shard: 'stp_shard_duration',
  loss: 'stp_training_loss',
  step: 'stp_training_step',
} as const;

/**
 * Bucket bounds of `stp_shard_duration_seconds`, from a shard of a laptop's smoke run to one of a large model with slow
 * proofs.
 */
export const SHARD_SECONDS_BUCKETS = [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 2_400, 3_600, 7_200];

/** `stp_round_proved` for `round/proved`. */
export const prometheusName = (name: string): string => `stp_${name.replaceAll('/', '_')}`;

/** Adds a metric of the log to those above, by the last part of its name. Other parts are only in the log. */
type Count = (value: number, step: number, part: string) => void;

/** @param meter `Runtime.instance().metricMeter` of a worker that exports metrics */
export function prometheusMonitor(run: string, meter: MetricMeter): Monitor {
  const tagged = meter.withTags({ run });
  const samples = tagged.createCounter(RUN_METRICS.samples, undefined, 'Proofs and conjectures sampled');
  const tokens = tagged.createCounter(RUN_METRICS.tokens, undefined, 'Tokens sampled');
  const verdicts = tagged.createCounter(RUN_METRICS.verdicts, undefined, 'Verdicts, by kind');
  const conjectures = tagged.createCounter(RUN_METRICS.conjectures, undefined, 'Conjectures, by what the gate said');
  const shard = tagged.createHistogram(RUN_METRICS.shard, 'float', 'seconds', 'Time of a shard, by its work');
  const loss = tagged.createGauge(RUN_METRICS.loss, 'float', undefined, 'Loss of the last logged training step');
  const training = tagged.createGauge(RUN_METRICS.step, 'int', undefined, 'Last logged training step');
  const counts: readonly (readonly [RegExp, Count])[] = [
    [/^samples$/, (value) => samples.add(value)],
    [/^tokens$/, (value) => tokens.add(value)],
    [/^verdicts_(?=\w)/, (value, _, verdict) => verdicts.add(value, { verdict })],
    [/^conjectures_(?=(?:made|accepted)$)/, (value, _, outcome) => conjectures.add(value, { outcome })],
    [
      /^shard_seconds_(?=\w)/,
      (value, _, work) => {
        shard.record(value, { work });
      },
    ],
    [
      /^loss$/,
      (value, step) => {
        loss.set(value);
        training.set(step);
      },
    ],
  ];
  const ofRound = new Map(
    TRACKED_METRICS.filter(({ step }) => step === 'round').map(({ name, text }) => [
      name,
      tagged.createGauge(prometheusName(name), 'float', undefined, `Last round: ${text}`),
    ]),
  );
  const count = ({ name, step, value }: Metric): void => {
    const figure = ofRound.get(name);
    if (figure !== undefined) {
      figure.set(value);
      return;
    }
    const part = name.slice(name.lastIndexOf('/') + 1);
    for (const [pattern, add] of counts) if (pattern.test(part)) add(value, step, part.replace(pattern, ''));
  };
  return {
    async log(metrics) {
      for (const metric of metrics) count(metric);
    },
    async finalise() {},
  };
}
