/** The page about trackers lists the metrics that they get, and names variables that are read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TRACKED_METRICS } from '../../infra/monitor/tracked-metrics.ts';
import { REPOSITORY } from './guides.ts';

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');
const page = read('docs/tracking.md');

it('lists every metric with its step and meaning, and no other', () => {
  const rows = [...page.matchAll(/^\| `((?:round|training)\/[\w/]+)` \| ([^|]+) \| ([^|]+) \|$/gm)];
  expect(rows.map(([, name, step, text]) => ({ name, step, text }))).toEqual(TRACKED_METRICS);
});

it('names variables that somebody reads', () => {
  const ours = ['settings.ts', 'mlflow.ts', 'wandb.ts', 'wandb_client.py'].map((name) =>
    read(`infra/monitor/trackers/${name}`),
  );
  const code = [...ours, read('infra/cloud/price-table.ts')].join('\n');
  // Read by the client of Weights & Biases itself.
  const theirs = ['WANDB_API_KEY', 'WANDB_ENTITY', 'WANDB_BASE_URL'];
  const named = new Set(page.match(/\b(?:STP|MLFLOW|WANDB)_[A-Z_]+\b/g));
  expect(named.size).toBeGreaterThan(10);
  for (const name of named) expect([name, code.includes(name) || theirs.includes(name)]).toEqual([name, true]);
});
