/** Metrics of one stage under its own slash group: `rounds/1_3fa9/shard_002/samples`. */
import { log } from '@temporalio/activity';
import type { Metric, RunEnd } from '../infra/monitor/monitor.ts';
import type { RunMonitor, RunStore } from './ports.ts';
import { REPORTED } from './run/finished-rounds.ts';

export function metricsAt(stage: string, step: number, values: Readonly<Record<string, number>>): Metric[] {
  const group = stage.toLowerCase().replaceAll(/[^a-z0-9/]+/g, '_');
  return Object.entries(values).map(([name, value]) => ({ name: `${group}/${name}`, step, value }));
}

/**
 * Sends metrics to the run's monitor from an activity. A failure goes into the activity's log only, because the work
 * counts more than its metrics.
 */
export async function logMetrics(ports: RunMonitor, run: string, metrics: readonly Metric[]): Promise<void> {
  if (metrics.length === 0) return;
  try {
    const monitor = await ports.monitor(run);
    await monitor.log(metrics);
  } catch (error) {
    log.warn('metrics were not written', { error: String(error), first: metrics[0]?.name });
  }
}

/** Tells trackers that the run has ended. A failure is only logged. */
export async function concludeRun(ports: RunMonitor, run: string, end: RunEnd): Promise<void> {
  try {
    const monitor = await ports.monitor(run);
    await monitor.conclude?.(end);
  } catch (error) {
    log.warn('trackers were not told of the end', { error: String(error) });
  }
}

/** Tells trackers the end of a run without a report: one that failed or was cancelled. */
export async function concludeUnreported(ports: RunStore & RunMonitor, run: string): Promise<void> {
  try {
    const store = await ports.store(run);
    if ((await store.stat(REPORTED)) !== null) return;
    await concludeRun(ports, run, { status: 'failed', objects: ['config.json'] });
  } catch (error) {
    log.warn('trackers were not told of the end', { error: String(error) });
  }
}
