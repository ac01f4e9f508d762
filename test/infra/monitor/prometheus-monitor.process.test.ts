/** Tests metrics of runs as Prometheus reads them from a worker's runtime, and in the file of JSON Lines. About 1 s. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Runtime } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { combineMonitors } from '../../../infra/monitor/combined-monitor.ts';
import { openJsonlMonitor, readMetrics } from '../../../infra/monitor/jsonl-monitor.ts';
import type { Monitor } from '../../../infra/monitor/monitor.ts';
import { prometheusMonitor } from '../../../infra/monitor/prometheus-monitor.ts';
import { prometheusExport } from '../../../workers/prometheus-export.ts';
import { workerSettings } from '../../../workers/settings.ts';
import { freePort } from '../../support/ports.ts';

/** `name{labels} value` lines as name with the labels asked for → value. */
async function scrape(address: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`http://${address}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const kept = labels.split(',').filter((label) => /^(?:run|verdict|work|outcome|le)=/.test(label));
      return [`${name}{${kept.sort().join(',')}}`, Number(value)];
    }),
  );
}

it('sums over stages, keeps the last loss, and leaves the log as it is', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  Runtime.install({ telemetryOptions: prometheusExport(address) });
  const path = join(await mkdtemp(join(tmpdir(), 'stp-prometheus-')), 'metrics.jsonl');
  const monitor = combineMonitors(
    await openJsonlMonitor(path),
    prometheusMonitor('demo', Runtime.instance().metricMeter),
  );
  for (const shard of ['1', '2'])
    await monitor.log([
      { name: `rounds/1/shard_${shard}/samples`, step: 0, value: 32 },
      { name: `rounds/1/shard_${shard}/tokens`, step: 0, value: 1_000 },
      { name: `rounds/1/shard_${shard}/verdicts_proved`, step: 0, value: 3 },
      { name: `rounds/1/shard_${shard}/verdicts_header_error`, step: 0, value: 1 },
      { name: `rounds/1/shard_${shard}/shard_seconds_verify`, step: 0, value: 7 },
      { name: `rounds/1/shard_${shard}/tokens_per_second`, step: 0, value: 50 },
    ]);
  await monitor.log([{ name: 'rounds/1/conjectures_accepted', step: 1, value: 5 }]);
  // A figure of a round is no sum: it does not count samples again.
  await monitor.log([{ name: 'round/samples', step: 1, value: 64 }]);
  for (const [step, value] of [2.5, 1.25].entries())
    await monitor.log([{ name: 'checkpoints/round_1/loss', step, value }]);
  const metrics = await scrape(address);
  const run = 'run="demo"';
  expect(Object.fromEntries([...metrics].filter(([name]) => name.startsWith('stp_') && !name.includes('le=')))).toEqual(
    {
      [`stp_samples_total{${run}}`]: 64,
      [`stp_tokens_total{${run}}`]: 2_000,
      [`stp_verdicts_total{${run},verdict="proved"}`]: 6,
      [`stp_verdicts_total{${run},verdict="header_error"}`]: 2,
      [`stp_conjectures_total{outcome="accepted",${run}}`]: 5,
      [`stp_shard_duration_seconds_sum{${run},work="verify"}`]: 14,
      [`stp_shard_duration_seconds_count{${run},work="verify"}`]: 2,
      [`stp_round_samples{${run}}`]: 64,
      [`stp_training_loss{${run}}`]: 1.25,
      [`stp_training_step{${run}}`]: 1,
    },
  );
  expect(metrics.get(`stp_shard_duration_seconds_bucket{le="15",${run},work="verify"}`)).toBe(2);
  expect(metrics.get(`stp_shard_duration_seconds_bucket{le="5",${run},work="verify"}`)).toBe(0);
  await monitor.finalise();
  let logged = 0;
  for await (const _ of readMetrics(path)) logged++;
  expect(logged).toBe(16);
});

it('gives every monitor its metrics, also where one fails', async () => {
  const seen: string[] = [];
  const failing: Monitor = { log: () => Promise.reject(new Error('disk full')), finalise: async () => undefined };
  const keeping: Monitor = {
    async log(metrics) {
      seen.push(...metrics.map(({ name }) => name));
    },
    async finalise() {
      seen.push('end');
    },
  };
  const monitor = combineMonitors(failing, keeping);
  await expect(monitor.log([{ name: 'train/loss', step: 0, value: 1 }])).rejects.toThrow('disk full');
  await monitor.finalise();
  expect(seen).toEqual(['train/loss', 'end']);
});

it('takes an address with a port and nothing else', () => {
  expect(workerSettings({}).metricsAddress).toBeNull();
  expect(workerSettings({ STP_METRICS_ADDRESS: '0.0.0.0:9464' }).metricsAddress).toBe('0.0.0.0:9464');
  expect(workerSettings({ STP_METRICS_ADDRESS: '[::1]:9464' }).metricsAddress).toBe('[::1]:9464');
  for (const wrong of ['9464', 'localhost:9464', '127.0.0.1:0', '127.0.0.1:70000', 'http://127.0.0.1:9464'])
    expect(() => workerSettings({ STP_METRICS_ADDRESS: wrong })).toThrow(/STP_METRICS_ADDRESS/);
});
