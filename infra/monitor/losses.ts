/** Training losses among the metrics of a run. */
import { existsSync } from 'node:fs';
import { readMetrics } from './jsonl-monitor.ts';

/** Returns the loss of every logged optimizer step, by training, in order; empty if the file does not exist. */
export async function readLosses(path: string): Promise<{ stage: string; step: number; loss: number }[]> {
  if (!existsSync(path)) return [];
  const losses = [];
  for await (const metric of readMetrics(path)) {
    const match = /^checkpoints\/(\w+)\/loss$/.exec(metric.name);
    if (match) losses.push({ stage: match[1]!, step: metric.step, loss: metric.value });
  }
  return losses;
}
