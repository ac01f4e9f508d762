/** Metrics of one stage under its own slash group: `rounds/1_3fa9/shard_002/samples`. */
import type { Metric } from '../infra/monitor/monitor.ts';

export function metricsAt(stage: string, step: number, values: Readonly<Record<string, number>>): Metric[] {
  const group = stage.toLowerCase().replaceAll(/[^a-z0-9/]+/g, '_');
  return Object.entries(values).map(([name, value]) => ({ name: `${group}/${name}`, step, value }));
}
