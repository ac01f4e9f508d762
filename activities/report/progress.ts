/**
 * Progress lines of several runs over samples. Runs that differ only in their seed become one line with a band. Pure.
 */
import type { ProgressPoint, RunFigures } from './figures.ts';

/** Runs of one method: the same configuration up to seed and number of rounds. */
export interface Method {
  readonly label: string;
  readonly runs: readonly RunFigures[];
}

/** Most points of a mean line. */
const MEAN_POINTS_MAX = 200;
/** Most changed values named in a label. */
const CHANGES_NAMED_MAX = 2;

export function methods(runs: readonly RunFigures[]): Method[] {
  const grouped = Map.groupBy(runs, ({ config }) => JSON.stringify({ ...config, seed: 0, rounds: 1 }));
  const named = [...grouped.values()].map((group) => ({ runs: group, label: labelOf(group) }));
  const taken = Map.groupBy(named, ({ label }) => label);
  return named.map((method) =>
    taken.get(method.label)!.length === 1
      ? method
      : { ...method, label: `${method.label}, ${method.runs.map(({ run }) => run).join(', ')}` },
  );
}

function labelOf(group: readonly RunFigures[]): string {
  const [first] = group;
  const changes = Object.entries(first!.changed).filter(([key]) => key !== 'seed' && key !== 'rounds');
  const named = changes
    .slice(0, CHANGES_NAMED_MAX)
    .map(([key, value]) => `${key.split('.').at(-1)} ${String(value)}`.slice(0, 40));
  const more = changes.length > CHANGES_NAMED_MAX ? [`${changes.length - CHANGES_NAMED_MAX} more`] : [];
  const what = [first!.config.preset, ...named, ...more].join(', ');
  return group.length === 1 ? what : `${what} (mean of ${group.length} seeds)`;
}

/** Returns the share of statements proved after this many samples: the value of the line's last point up to there. */
export function shareAt(points: readonly ProgressPoint[], statements: number, samples: number): number {
  let proved = 0;
  for (const point of points) {
    if (point.samples > samples) break;
    proved = point.proved;
  }
  return statements === 0 ? 0 : proved / statements;
}

export interface BandPoint {
  readonly samples: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** Returns mean and range over a method's runs, up to the end of the shortest run: beyond it the mean would jump. */
export function band(runs: readonly RunFigures[]): BandPoint[] {
  const end = Math.min(...runs.map(({ progress }) => progress.at(-1)!.samples));
  const all = [...new Set(runs.flatMap(({ progress }) => progress.map(({ samples }) => samples)))]
    .filter((samples) => samples <= end)
    .sort((a, b) => a - b);
  const every = Math.ceil(all.length / MEAN_POINTS_MAX);
  return all
    .filter((_, index) => index % every === 0 || index === all.length - 1)
    .map((samples) => {
      const shares = runs.map(({ progress, summary }) => shareAt(progress, summary.statements, samples));
      const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
      return { samples, mean, low: Math.min(...shares), high: Math.max(...shares) };
    });
}
