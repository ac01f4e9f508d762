/** Metrics of one stage under its own slash group: `rounds/1_3fa9/shard_002/samples`. */
import { log } from '@temporalio/activity';
import type { Metric } from '../infra/monitor/monitor.ts';
import type { Ports } from './ports.ts';

export function metricsAt(stage: string, step: number, values: Readonly<Record<string, number>>): Metric[] {
  const group = stage.toLowerCase().replaceAll(/[^a-z0-9/]+/g, '_');
  return Object.entries(values).map(([name, value]) => ({ name: `${group}/${name}`, step, value }));
}

/** Gives metrics to the run's monitor from within an activity. Where it fails the activity's log says so: the work counts, not its numbers. */
export async function logMetrics(
  ports: Pick<Ports, 'monitor'>,
  run: string,
  metrics: readonly Metric[],
): Promise<void> {
  try {
    const monitor = await ports.monitor(run);
    await monitor.log(metrics);
  } catch (error) {
    log.warn('metrics were not written', { error: String(error), first: metrics[0]?.name });
  }
}
