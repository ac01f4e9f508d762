/** Dashboards and alerts use only existing metrics and labels: those of our programs, and Temporal's. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServeMetrics as ModelServeMetrics } from '@stp/language-model/testing';
import { type LeanPool, ServeMetrics as LeanServeMetrics, type PoolStats } from '@stp/lean-verifier/testing';
import { Runtime } from '@temporalio/worker';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { prometheusMonitor } from '../../../infra/monitor/prometheus-monitor.ts';
import { prometheusExport } from '../../../workers/prometheus-export.ts';
import { freePort } from '../../support/ports.ts';
import { REPOSITORY, readComposeFile } from './compose-file.ts';

const DASHBOARDS = join(REPOSITORY, 'infra/grafana/dashboards');
const dashboards = readdirSync(DASHBOARDS).map((name) => JSON.parse(readFileSync(join(DASHBOARDS, name), 'utf8')));
const rules = parse(readFileSync(join(REPOSITORY, 'infra/prometheus/rules.yml'), 'utf8')).groups.flatMap(
  (group: { rules: { expr: string }[] }) => group.rules,
) as { expr: string }[];
const expressions: string[] = [
  ...dashboards.flatMap((dashboard) =>
    dashboard.panels.flatMap((panel: { targets: { expr: string }[] }) => panel.targets.map(({ expr }) => expr)),
  ),
  ...rules.map(({ expr }) => expr),
];
/** Parts of a histogram. */
const PART = /_(?:bucket|sum|count)$/;
const EVERYWHERE = ['job', 'instance', 'le'];
/**
 * Metrics of Temporal's SDK, with its labels, as a worker gave them out (read from one that ran a workflow and a failing
 * activity); the test looks for their names in the library that is installed.
 */
const TEMPORAL: Readonly<Record<string, readonly string[]>> = {
  temporal_worker_task_slots_used: ['task_queue', 'worker_type'],
  temporal_num_pollers: ['task_queue', 'poller_type'],
  temporal_activity_schedule_to_start_latency_seconds: ['task_queue'],
  temporal_activity_execution_latency_seconds: ['task_queue', 'activity_type'],
  temporal_activity_execution_failed_total: ['task_queue', 'activity_type'],
  temporal_workflow_failed_total: ['task_queue', 'workflow_type'],
  temporal_request_failure_total: ['operation'],
  temporal_workflow_task_execution_latency_seconds: ['task_queue', 'workflow_type'],
};

/** Metric → labels. */
const known = new Map<string, Set<string>>(Object.entries(TEMPORAL).map(([name, labels]) => [name, new Set(labels)]));

function learn(text: string): void {
  for (const line of text.split('\n')) {
    const [, type] = /^# TYPE (\w+)/.exec(line) ?? [];
    if (type !== undefined && !known.has(type)) known.set(type, new Set());
    const [, name = '', labels = ''] = /^(\w+)\{(.*)\} /.exec(line) ?? [];
    const metric = known.has(name) ? name : name.replace(PART, '');
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.get(metric)?.add(label);
  }
}

beforeAll(async () => {
  const port = await freePort();
  Runtime.install({ telemetryOptions: prometheusExport(`127.0.0.1:${port}`) });
  const names = ['samples', 'tokens', 'verdicts_proved', 'conjectures_made', 'shard_seconds_verify', 'loss'];
  const monitor = prometheusMonitor('demo', Runtime.instance().metricMeter);
  await monitor.log(names.map((name) => ({ name: `rounds/${name}`, step: 0, value: 1 })));
  learn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());

  const stats: PoolStats = {
    processes: 1,
    busy: 0,
    waiting: 0,
    utilisation: 0,
    started: 1,
    recycled: 1,
    reused: 1,
  } as PoolStats;
  const lean = new LeanServeMetrics({ stats: () => stats } as LeanPool);
  lean.requests.inc({ route: '/api/check', status: '200' });
  lean.observe({
    outcome: 'checked',
    times: { queueMs: 1, headerMs: 1 },
    run: { checkMs: 1, cpuMs: 1, peakResidentBytes: 1 },
  } as Parameters<LeanServeMetrics['observe']>[0]);
  learn(await lean.text());
  const model = new ModelServeMetrics();
  model.requests.inc({ route: '/v1/completions', status: '200' });
  model.latencySeconds.observe({ route: '/v1/completions' }, 1);
  learn(await model.text());
});

it('asks for metrics that are given out, by labels that they have', () => {
  expect(expressions.length).toBeGreaterThan(40);
  for (const expression of expressions) {
    const metrics = expression.match(/\b(?:stp|temporal|process)_\w+/g) ?? [];
    expect([expression, metrics.length > 0]).toEqual([expression, true]);
    const labels = new Set<string>();
    for (const metric of metrics) {
      const name = known.has(metric) ? metric : metric.replace(PART, '');
      expect([metric, known.has(name)]).toEqual([metric, true]);
      for (const label of known.get(name) ?? []) labels.add(label);
    }
    const asked = [
      ...[...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(',')),
      ...[...expression.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label = '']) => label),
    ].map((label) => label.trim());
    for (const label of asked)
      expect([expression, label, labels.has(label) || EVERYWHERE.includes(label)]).toEqual([expression, label, true]);
  }
});

it('knows Temporal’s names as the library has them', () => {
  const releases = join(REPOSITORY, 'node_modules/@temporalio/core-bridge/releases');
  const folder = readdirSync(releases).find((name) => name.startsWith('x86_64-unknown-linux-gnu'));
  const library = readFileSync(join(releases, folder!, 'index.node'));
  for (const name of Object.keys(TEMPORAL)) {
    const bare = name.replace(/^temporal_/, '').replace(/_(?:total|seconds)$/, '');
    expect([name, library.includes(bare)]).toEqual([name, true]);
  }
  expect(library.includes('activity_execution_latencies_of_nobody')).toBe(false);
});

it('is provisioned from where the files are, with the data source that the panels name', async () => {
  const { services } = await readComposeFile();
  const mounts = (services.grafana?.volumes ?? []).map((volume) => volume.split(':'));
  const inside = (path: string): string => {
    const mount = mounts.find(([, target]) => path.startsWith(target!));
    return join(REPOSITORY, mount?.[0] ?? 'nowhere', path.slice(mount?.[1]?.length));
  };
  const provisioning = join(REPOSITORY, 'infra/grafana/provisioning');
  const provider = parse(readFileSync(join(provisioning, 'dashboards/stp.yml'), 'utf8')).providers[0];
  expect(inside(provider.options.path)).toBe(DASHBOARDS);
  expect(inside('/etc/grafana/provisioning')).toBe(provisioning);
  const home = services.grafana?.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? '';
  expect(JSON.parse(readFileSync(inside(home), 'utf8')).uid).toBe('stp-runs');
  const source = parse(readFileSync(join(provisioning, 'datasources/prometheus.yml'), 'utf8')).datasources[0];
  expect(source.url).toBe(`http://prometheus:${services.prometheus?.ports?.[0]?.split(':').at(-1)}`);
  const uids = new Set<string>();
  for (const { uid, panels, templating } of dashboards) {
    uids.add(uid);
    for (const panel of panels) expect(panel.datasource.uid).toBe(source.uid);
    const variables = templating.list.map(({ name }: { name: string }) => name);
    const used = JSON.stringify(panels).matchAll(/\$(?!__)(\w+)/g);
    for (const [, variable] of used) expect(variables).toContain(variable);
  }
  expect(uids.size).toBe(dashboards.length);
});
